/* R133: Name and class of each performance variable lead to its index. */
#include "conform.h"
int main(void)
{
    int n, class, tried = 0;
    char name[512];
    INIT();
    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n; i++)
        if (MPI_T_pvar_get_info(i, name, &(int){sizeof name}, 0, &class, 0, 0, 0, 0, 0, 0, 0, 0) == MPI_SUCCESS && ++tried) {
            int found = -1, code = MPI_T_pvar_get_index(name, class, &found);
            if (code != MPI_SUCCESS || found != i)
                FAILS("%s of class %d has index %d, and is found at %d, code %d", name, class, i, found, code);
        }
    HOLDS(tried, "performance variables");
}
