/* R243: Each query of an event type makes a new info object, and never MPI_INFO_NULL. [MPI 4.0] */
#include "conform.h"
int main(void)
{
    enum { MOST = 64 };
    int n, size, bind, code;
    char name[512];
    MPI_Datatype types[MOST];
    MPI_Aint at[MOST];
    MPI_Info info, again;
    INIT();
    MPI_T_event_get_num(&n);
    for (int i = 0; i < n; i++) {
        size = MOST;
        if (MPI_T_event_get_info(i, name, &(int){512}, 0, types, at, &size, 0, 0, 0, 0, &bind) != MPI_SUCCESS || size > MOST)
            continue;
        MPI_T_event_get_info(i, 0, 0, 0, 0, 0, 0, 0, &info, 0, 0, 0);
        MPI_T_event_get_info(i, 0, 0, 0, 0, 0, 0, 0, &again, 0, 0, 0);
        if (info == MPI_INFO_NULL || again == MPI_INFO_NULL || info == again)
            FAILS("%s: two queries return one object, or MPI_INFO_NULL", name);
        if (MPI_Info_free(&info) != MPI_SUCCESS || MPI_Info_free(&again) != MPI_SUCCESS)
            FAILS("%s: the info object cannot be freed", name);
    }
    HOLDS(n, "event types");
}
