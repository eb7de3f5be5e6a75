/* R113: Amounts are never negative. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i)
        if (type == MPI_DOUBLE && class != MPI_T_PVAR_CLASS_GENERIC) {
            continuous ? 0 : MPI_T_pvar_start(session, handle);
            if (MPI_T_pvar_read(session, handle, value) == MPI_SUCCESS && ++tried && !(*(double *)value >= 0))
                FAILS("%s is %g", name, *(double *)value);
        }
    HOLDS(tried, "performance variables that are doubles");
}
