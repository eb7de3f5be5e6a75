/* R221: The time of a source is between 0 and its maximum. [MPI 4.0] */
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
        if (MPI_T_source_get_timestamp(i, &time) == MPI_SUCCESS && (time < 0 || time > most))
            FAILS("the time of %s is %lld, and its maximum %lld", name, (long long)time, (long long)most);
    }
    HOLDS(n, "sources");
}
