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
        MPI_Count first = 0;
        double before = MPI_Wtime(), begin, end, after;
        int code = MPI_T_source_get_timestamp(i, &first);
        begin = MPI_Wtime();
        while ((end = MPI_Wtime()) < begin + 0.2)
            ;
        if (code || MPI_T_source_get_timestamp(i, &time))
            continue;
        after = MPI_Wtime();
        double seconds = (double)(time - first) / ticks;
        if (ticks < 1 || seconds < (end - begin) / 2 || seconds > (after - before) * 2)
            FAILS("%s has %lld ticks in a second, and %g s in %g s", name, (long long)ticks, seconds, end - begin);
    }
    HOLDS(n, "sources");
}
