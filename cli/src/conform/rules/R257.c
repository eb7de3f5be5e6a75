/* R257: Freeing a registration succeeds; freeing it again gives INVALID_HANDLE. [MPI 4.0] */
#include "conform.h"
int main(void)
{
    enum { MOST = 64 };
    int n, size, bind, code;
    char name[512];
    MPI_Datatype types[MOST];
    MPI_Aint at[MOST];
    MPI_T_event_registration registration;
    INIT();
    MPI_T_event_get_num(&n);
    for (int i = 0; i < n; i++) {
        size = MOST;
        if (MPI_T_event_get_info(i, name, &(int){512}, 0, types, at, &size, 0, 0, 0, 0, &bind) != MPI_SUCCESS || size > MOST)
            continue;
        MPI_Comm world = MPI_COMM_WORLD;
        void *object = bind == MPI_T_BIND_MPI_COMM ? &world : NULL;
        if (MPI_T_event_handle_alloc(i, object, MPI_INFO_NULL, &registration) != MPI_SUCCESS)
            continue;
        if ((code = MPI_T_event_handle_free(registration, NULL, NULL)) != MPI_SUCCESS)
            FAILS("%s: the first free answers code %d", name, code);
        if ((code = MPI_T_event_handle_free(registration, NULL, NULL)) != MPI_T_ERR_INVALID_HANDLE)
            FAILS("%s: the second free answers code %d", name, code);
    }
    HOLDS(n, "event types");
}
