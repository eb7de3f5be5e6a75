/* R135: On connected processes, performance variables of one name and class agree in all that is returned. [2 processes] */
#include "conform.h"
struct info { char name[512], desc[4096]; int class, verbosity, bind, flags[3]; };
static int query(int i, struct info *info)
{
    memset(info, 0, sizeof *info);
    return MPI_T_pvar_get_info(i, info->name, &(int){512}, &info->verbosity, &info->class, 0, 0, info->desc, &(int){4096},
                               &info->bind, &info->flags[0], &info->flags[1], &info->flags[2]);
}
int main(void)
{
    int n, rank, tried = 0, i, differ = 0;
    struct info first, own;
    INIT();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_T_pvar_get_num(&n);
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int at = 0; at < n; at++) {
        query(at, &first);
        MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
        if (*first.name && !MPI_T_pvar_get_index(first.name, first.class, &i) && !query(i, &own) && ++tried)
            if (memcmp(&first, &own, sizeof own) != 0 && !differ++)
                printf("fails: process %d has other properties of %s than process 0\n", rank, first.name);
    }
    fflush(stdout);
    MPI_T_finalize();
    MPI_Finalize();
    if (differ)
        return 1;
    HOLDS(tried, "performance variables");
}
