/* R304: A function that a tool defines in front of the library's is called instead, and reaches that by the twin. */
#include "conform.h"
static int calls;
int MPI_T_cvar_get_num(int *n)
{
    calls++;
    return PMPI_T_cvar_get_num(n);
}
int main(void)
{
    int n = -1;
    INIT();
    /* A call by the library itself would count as well. */
    const int inside = calls, code = MPI_T_cvar_get_num(&n);
    if (code != MPI_SUCCESS || n < 0 || calls != 1)
        FAILS("%d calls within MPI_Init, %d together, code %d", inside, calls, code);
    HOLDS(1, "");
}
