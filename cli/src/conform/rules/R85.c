/* R85: Other names of control variables give INVALID_NAME: unknown, empty, cut short. */
#include "conform.h"
static int n, i, code;
static char name[512];
int main(void)
{
    INIT();
    MPI_T_cvar_get_num(&n);
    if (n == 0 || MPI_T_cvar_get_info(0, name, &(int){sizeof name}, 0, 0, 0, 0, 0, 0, 0) != MPI_SUCCESS)
        HOLDS(0, "control variable 0");
    name[strlen(name) - 1] = 0;
    const char *const others[] = {"no such name", "", MPI_T_cvar_get_index(name, &i) == MPI_SUCCESS ? "#" : name};
    for (int at = 0; at < 3; at++)
        if ((code = MPI_T_cvar_get_index(others[at], &i)) != MPI_T_ERR_INVALID_NAME)
            FAILS("the name '%s' gives code %d", others[at], code);
    HOLDS(1, "");
}
