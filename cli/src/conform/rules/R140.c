/* R140: A freed session is refused. */
#include "conform.h"
int main(void)
{
    MPI_T_pvar_session session;
    INIT();
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_session_free(&session);
    printf("session is %p after it was freed\n", (void *)session), fflush(stdout);
    if (MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS)
        FAILS("MPI_T_pvar_start accepts the session");
    if (MPI_T_pvar_session_free(&session) == MPI_SUCCESS)
        FAILS("MPI_T_pvar_session_free accepts the session");
    HOLDS(1, "");
}
