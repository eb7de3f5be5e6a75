/* R166: Stopping all handles of a session without handles succeeds. */
#include "conform.h"
int main(void)
{
    MPI_T_pvar_session session;
    INIT();
    MPI_T_pvar_session_create(&session);
    int code = MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES);
    if (code != MPI_SUCCESS)
        FAILS("MPI_T_pvar_stop of MPI_T_PVAR_ALL_HANDLES answers code %d", code);
    HOLDS(1, "");
}
