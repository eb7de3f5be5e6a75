/* R236: With a length of 0 the arrays stay as they were, and the true number is returned. [MPI 4.0] */
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
        int length = 0;
        MPI_Aint first = -77;
        MPI_T_event_get_info(i, 0, 0, 0, types, &first, &length, 0, 0, 0, 0, 0);
        if (length != size || first != -77)
            FAILS("%s has %d elements; with a length of 0, %d are returned, or one is written", name, size, length);
    }
    HOLDS(n, "event types");
}
