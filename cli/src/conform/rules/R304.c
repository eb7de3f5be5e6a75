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
    calls = 0; /* The library itself may have called it. */
    const int code = MPI_T_cvar_get_num(&n);
    if (code != MPI_SUCCESS || n < 0 || calls < 1)
        FAILS("the function of the tool is called %d times, code %d", calls, code);
    HOLDS(1, "");
}
