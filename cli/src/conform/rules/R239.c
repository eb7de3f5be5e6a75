/* R239: Displacements of an event begin with 0 and ascend; elements do not overlap. [MPI 4.0] */
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
        for (int element = 0, bytes = 0, end = 0; element < size; element++, end = at[element - 1] + bytes) {
            MPI_Type_size(types[element], &bytes);
            if (element == 0 ? at[0] != 0 : at[element] < end)
                FAILS("element %d of %s is at %ld", element, name, (long)at[element]);
        }
    }
    HOLDS(n, "event types");
}
