/* R218: A source is ORDERED or UNORDERED. [MPI 4.0] */
#include "conform.h"
int main(void)
{
    int n;
    char name[512], desc[4096];
    MPI_T_source_order order;
    MPI_Count ticks, most, time;
    INIT();
    MPI_T_source_get_num(&n);
    for (int i = 0; i < n; i++) {
        if (MPI_T_source_get_info(i, name, &(int){512}, desc, &(int){4096}, &order, &ticks, &most, NULL) != MPI_SUCCESS)
            continue;
        if (order != MPI_T_SOURCE_ORDERED && order != MPI_T_SOURCE_UNORDERED)
            FAILS("%s has the order %d", name, order);
    }
    HOLDS(n, "sources");
}
