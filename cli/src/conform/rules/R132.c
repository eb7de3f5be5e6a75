/* R132: The flags of a performance variable are 0 or 1. */
#include "conform.h"
int main(void)
{
    int n, tried = 0, flags[3];
    char name[256];
    INIT();
    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n; i++)
        if (MPI_T_pvar_get_info(i, name, &(int){256}, 0, 0, 0, 0, 0, 0, 0, &flags[0], &flags[1], &flags[2]) == 0 && ++tried)
            for (int flag = 0; flag < 3; flag++)
                if (flags[flag] != 0 && flags[flag] != 1)
                    FAILS("%s: readonly %d, continuous %d, atomic %d", name, flags[0], flags[1], flags[2]);
    HOLDS(tried, "performance variables");
}
