/* R184: Readreset returns the value and sets it to the starting value. */
#include "conform.h"
#include "pvar.h"
#include "sums.h"
int main(void)
{
    FOR_EACH(i)
        if (atomic && !readonly && IS_COUNT) {
            continuous ? 0 : MPI_T_pvar_start(session, handle);
            ACT();
            int code = MPI_T_pvar_readreset(session, handle, value);
            if (++tried && code != MPI_SUCCESS)
                FAILS("MPI_T_pvar_readreset of %s, whose atomic flag is 1, answers code %d", name, code);
            if (MPI_T_pvar_read(session, handle, value) == MPI_SUCCESS && memcmp(value, zero, bytes) != 0)
                FAILS("%s is not 0 after a readreset", name);
        }
    HOLDS(tried, "counters or aggregates with the atomic flag");
}
