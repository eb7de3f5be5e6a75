/* R178: Resetting a read-only performance variable gives PVAR_NO_WRITE. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i)
        if (readonly) {
            int code = MPI_T_pvar_reset(session, handle);
            if (++tried && code != MPI_T_ERR_PVAR_NO_WRITE)
                FAILS("a reset of %s, which is read-only, answers code %d", name, code);
        }
    HOLDS(tried, "read-only performance variables");
}
