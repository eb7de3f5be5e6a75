/* R160: A continuous variable cannot be started or stopped: PVAR_NO_STARTSTOP. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i)
        if (continuous) {
            int start = MPI_T_pvar_start(session, handle), stop = MPI_T_pvar_stop(session, handle);
            if (++tried && (start != MPI_T_ERR_PVAR_NO_STARTSTOP || stop != MPI_T_ERR_PVAR_NO_STARTSTOP))
                FAILS("%s: start answers code %d, stop code %d", name, start, stop);
        }
    HOLDS(tried, "continuous performance variables");
}
