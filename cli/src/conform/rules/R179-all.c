/* R179: Resetting all handles succeeds if all are read-only. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i)
        if (readonly || (MPI_T_pvar_handle_free(session, &handle), 0))
            tried++;
    int code = tried ? MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES) : MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        FAILS("MPI_T_pvar_reset of MPI_T_PVAR_ALL_HANDLES, with %d such handles, answers code %d", tried, code);
    HOLDS(tried, "read-only performance variables");
}
