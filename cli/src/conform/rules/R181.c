/* R181: A reset leaves stopped what is stopped. */
#include "conform.h"
#include "pvar.h"
#include "sums.h"
int main(void)
{
    FOR_EACH(i)
        if (IS_COUNT && !readonly && !continuous) {
            MPI_T_pvar_start(session, handle);
            MPI_T_pvar_stop(session, handle);
            if (MPI_T_pvar_reset(session, handle) || MPI_T_pvar_read(session, handle, value))
                continue;
            ACT();
            if (MPI_T_pvar_read(session, handle, again) == MPI_SUCCESS && ++tried && memcmp(value, again, bytes) != 0)
                FAILS("%s changes after a reset in a stopped handle", name);
        }
    HOLDS(tried, "counters or aggregates that can be reset");
}
