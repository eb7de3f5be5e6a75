/* R233: A query of an event type may leave out every output. [MPI 4.0] */
#include "conform.h"
int main(void)
{
    enum { MOST = 64 };
    int n, size, bind, code;
    char name[512];
    MPI_Datatype types[MOST];
    MPI_Aint at[MOST];
    INIT();
    MPI_T_event_get_num(&n);
    for (int i = 0; i < n; i++) {
        size = MOST;
        if (MPI_T_event_get_info(i, name, &(int){512}, 0, types, at, &size, 0, 0, 0, 0, &bind) != MPI_SUCCESS || size > MOST)
            continue;
        code = MPI_T_event_get_info(i, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        if (code != MPI_SUCCESS)
            FAILS("a query of %s without outputs answers code %d", name, code);
    }
    HOLDS(n, "event types");
}
