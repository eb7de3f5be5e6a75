/* R30: Sessions and handles made before MPI_Init are still good after it. */
#include "conform.h"
int main(void)
{
    int n = 0, handles = 0, code, count, bind;
    MPI_T_pvar_session session;
    MPI_T_cvar_handle *all;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &n);
    MPI_T_pvar_session_create(&session);
    MPI_T_cvar_get_num(&n);
    all = calloc(n + 1, sizeof *all);
    for (int i = 0; i < n; i++)
        if (!MPI_T_cvar_get_info(i, 0, 0, 0, 0, 0, 0, 0, &bind, 0) && bind == MPI_T_BIND_NO_OBJECT)
            handles += MPI_T_cvar_handle_alloc(i, NULL, &all[handles], &count) == MPI_SUCCESS;
    MPI_Init(NULL, NULL);
    if ((code = MPI_T_pvar_session_free(&session)) != MPI_SUCCESS)
        FAILS("MPI_T_pvar_session_free answers code %d for a session made before MPI_Init", code);
    for (int i = 0; i < handles; i++)
        if ((code = MPI_T_cvar_handle_free(&all[i])) != MPI_SUCCESS)
            FAILS("MPI_T_cvar_handle_free answers code %d for handle %d of %d made before MPI_Init", code, i, handles);
    HOLDS(handles, "control variables that give a handle before MPI_Init");
}
