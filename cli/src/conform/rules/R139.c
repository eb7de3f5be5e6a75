/* R139: Freeing a session sets the variable to PVAR_SESSION_NULL. */
#include "conform.h"
int main(void)
{
    MPI_T_pvar_session session;
    INIT();
    MPI_T_pvar_session_create(&session);
    int code = MPI_T_pvar_session_free(&session);
    if (code != MPI_SUCCESS || session != MPI_T_PVAR_SESSION_NULL)
        FAILS("the session is %p after it was freed, code %d", (void *)session, code);
    HOLDS(1, "");
}
