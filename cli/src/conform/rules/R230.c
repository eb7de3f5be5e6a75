/* R230: The name of each event type leads to its index. [MPI 4.0] */
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
        int found = -1;
        code = MPI_T_event_get_index(name, &found);
        if (code != MPI_SUCCESS || found != i)
            FAILS("%s has index %d, and is found at %d, code %d", name, i, found, code);
    }
    HOLDS(n, "event types");
}
