/* R84: The name of each control variable leads to its index. */
#include "conform.h"
int main(void)
{
    int n, tried = 0;
    char name[512];
    INIT();
    MPI_T_cvar_get_num(&n);
    for (int i = 0; i < n; i++)
        if (MPI_T_cvar_get_info(i, name, &(int){sizeof name}, 0, 0, 0, 0, 0, 0, 0) == MPI_SUCCESS && ++tried) {
            int found = -1, code = MPI_T_cvar_get_index(name, &found);
            if (code != MPI_SUCCESS || found != i)
                FAILS("%s has index %d, and is found at %d, code %d", name, i, found, code);
        }
    HOLDS(tried, "control variables");
}
