/* R220: A query of the time returns it, or NOT_SUPPORTED; never NOT_ACCESSIBLE. [MPI 4.0] */
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
        int code = MPI_T_source_get_timestamp(i, &time);
        if (code != MPI_SUCCESS && code != MPI_T_ERR_NOT_SUPPORTED)
            FAILS("the time of %s: code %d", name, code);
    }
    HOLDS(n, "sources");
}
