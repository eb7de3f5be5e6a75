/* R166: Stopping all handles succeeds if all are continuous. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i)
        if (continuous || (MPI_T_pvar_handle_free(session, &handle), 0))
            tried++;
    int code = tried ? MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES) : MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        FAILS("MPI_T_pvar_stop of MPI_T_PVAR_ALL_HANDLES, with %d such handles, answers code %d", tried, code);
    HOLDS(tried, "continuous performance variables");
}
