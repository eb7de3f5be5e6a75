/* R259: The free callback of a registration runs exactly once. [MPI 4.0] */
#include "conform.h"
static void count_run(MPI_T_event_registration registration, MPI_T_cb_safety level, void *runs)
{
    (void)registration, (void)level, ++*(int *)runs;
}
int main(void)
{
    enum { MOST = 64 };
    int n, size, bind, code;
    char name[512];
    MPI_Datatype types[MOST];
    MPI_Aint at[MOST];
    MPI_T_event_registration registration;
    int runs;
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
        runs = 0;
        code = MPI_T_event_handle_free(registration, &runs, count_run);
        if (runs != 1)
            FAILS("%s: the free callback ran %d times, code %d", name, runs, code);
    }
    HOLDS(n, "event types");
}
