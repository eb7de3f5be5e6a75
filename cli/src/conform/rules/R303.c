/* R303: A PMPI function does what its twin does. */
#include "conform.h"
int main(void)
{
    int n, of_twin, found;
    INIT();
    if (MPI_T_cvar_get_num(&n) != PMPI_T_cvar_get_num(&of_twin) || n != of_twin)
        FAILS("MPI_T_cvar_get_num returns %d, PMPI_T_cvar_get_num %d", n, of_twin);
    if (MPI_T_pvar_get_num(&n) != PMPI_T_pvar_get_num(&of_twin) || n != of_twin)
        FAILS("MPI_T_pvar_get_num returns %d, PMPI_T_pvar_get_num %d", n, of_twin);
    if (MPI_T_category_get_num(&n) != PMPI_T_category_get_num(&of_twin) || n != of_twin)
        FAILS("MPI_T_category_get_num returns %d, PMPI_T_category_get_num %d", n, of_twin);
    if (MPI_T_category_changed(&n) != PMPI_T_category_changed(&of_twin) || n != of_twin)
        FAILS("MPI_T_category_changed returns %d, PMPI_T_category_changed %d", n, of_twin);
    if (MPI_T_cvar_get_index("no such name", &found) != PMPI_T_cvar_get_index("no such name", &found))
        FAILS("MPI_T_cvar_get_index and PMPI_T_cvar_get_index answer different codes");
    HOLDS(1, "");
}
