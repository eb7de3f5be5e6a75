/* R259: The free callback of a registration runs exactly once. [MPI 4.0] */
#include "conform.h"
enum { MOST = 4096 };
static int runs[MOST], is_freed[MOST];
static void count_run(MPI_T_event_registration registration, MPI_T_cb_safety level, void *run)
{
    (void)registration, (void)level, ++*(int *)run;
}
int main(void)
{
    int n, size, bind, tried = 0;
    MPI_Datatype types[64];
    MPI_Aint at[64];
    MPI_T_event_registration registration;
    MPI_Comm world = MPI_COMM_WORLD;
    INIT();
    MPI_T_event_get_num(&n);
    for (int i = 0; i < n && i < MOST; i++) {
        size = 64;
        if (MPI_T_event_get_info(i, 0, 0, 0, types, at, &size, 0, 0, 0, 0, &bind) != MPI_SUCCESS
            || MPI_T_event_handle_alloc(i, bind == MPI_T_BIND_MPI_COMM ? &world : NULL, MPI_INFO_NULL, &registration))
            continue;
        tried += is_freed[i] = MPI_T_event_handle_free(registration, &runs[i], count_run) == MPI_SUCCESS;
    }
    /* A successful free may end later. */
    MPI_Barrier(world);
    MPI_T_finalize();
    MPI_Finalize();
    for (int i = 0; i < MOST; i++)
        if (is_freed[i] && runs[i] != 1)
            FAILS("the free callback of a registration for event type %d ran %d times", i, runs[i]);
    HOLDS(tried, "event types whose registrations can be freed");
}
