/* R222: The clock of a source has at least 1 tick in a second, and runs. [MPI 4.0] */
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
        double begin = MPI_Wtime();
        MPI_Count first = 0;
        int code = MPI_T_source_get_timestamp(i, &first);
        while (MPI_Wtime() < begin + 0.2)
            ;
        if (code || MPI_T_source_get_timestamp(i, &time))
            continue;
        double seconds = (double)(time - first) / ticks;
        if (ticks < 1 || seconds < 0.1 || seconds > 2)
            FAILS("%s has %lld ticks in a second, and %g s pass in 0.2 s", name, (long long)ticks, seconds);
    }
    HOLDS(n, "sources");
}
