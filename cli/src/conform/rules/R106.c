/* R106: The class of a performance variable is one of ten. */
#include "conform.h"
int main(void)
{
    const int classes[] = {MPI_T_PVAR_CLASS_STATE,         MPI_T_PVAR_CLASS_LEVEL,        MPI_T_PVAR_CLASS_SIZE,
                           MPI_T_PVAR_CLASS_PERCENTAGE,    MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_T_PVAR_CLASS_LOWWATERMARK,
                           MPI_T_PVAR_CLASS_COUNTER,       MPI_T_PVAR_CLASS_AGGREGATE,    MPI_T_PVAR_CLASS_TIMER,
                           MPI_T_PVAR_CLASS_GENERIC};
    int n, class, tried = 0, at;
    char name[256];
    INIT();
    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n; i++)
        if (MPI_T_pvar_get_info(i, name, &(int){256}, 0, &class, 0, 0, 0, 0, 0, 0, 0, 0) == MPI_SUCCESS && ++tried) {
            for (at = 0; at < 10 && classes[at] != class; at++)
                ;
            if (at == 10)
                FAILS("%s has class %d", name, class);
        }
    HOLDS(tried, "performance variables");
}
