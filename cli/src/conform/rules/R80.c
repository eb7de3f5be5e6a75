/* R80: A query of a control variable may leave out every output. */
#include "conform.h"
int main(void)
{
    int n, tried = 0, code;
    char name[256];
    INIT();
    MPI_T_cvar_get_num(&n);
    for (int i = 0; i < n; i++)
        if (MPI_T_cvar_get_info(i, name, &(int){sizeof name}, 0, 0, 0, 0, 0, 0, 0) == MPI_SUCCESS && ++tried)
            if ((code = MPI_T_cvar_get_info(i, 0, 0, 0, 0, 0, 0, 0, 0, 0)) != MPI_SUCCESS)
                FAILS("a query of %s without outputs answers code %d", name, code);
    HOLDS(tried, "control variables");
}
