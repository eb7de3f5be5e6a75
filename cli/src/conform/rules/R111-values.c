/* R111: The value of a PERCENTAGE is from 0 to 1. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i)
        if (class == MPI_T_PVAR_CLASS_PERCENTAGE) {
            continuous ? 0 : MPI_T_pvar_start(session, handle);
            if (MPI_T_pvar_read(session, handle, value) == MPI_SUCCESS && ++tried)
                if (!(*(double *)value >= 0 && *(double *)value <= 1))
                    FAILS("%s is %g", name, *(double *)value);
        }
    HOLDS(tried, "PERCENTAGE with a value");
}
