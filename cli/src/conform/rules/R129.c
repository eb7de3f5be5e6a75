/* R129: A query of a performance variable may leave out all outputs. */
#include "conform.h"
int main(void)
{
    int n, tried = 0, code;
    char name[256];
    INIT();
    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n; i++)
        if (MPI_T_pvar_get_info(i, name, &(int){sizeof name}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) == MPI_SUCCESS && ++tried)
            if ((code = MPI_T_pvar_get_info(i, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) != MPI_SUCCESS)
                FAILS("a query of %s without outputs answers code %d", name, code);
    HOLDS(tried, "performance variables");
}
