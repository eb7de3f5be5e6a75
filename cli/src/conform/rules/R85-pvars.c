/* R85: Unknown names of performance variables give INVALID_NAME. */
#include "conform.h"
int main(void)
{
    int i, code;
    const char *const others[] = {"no such name", ""};
    INIT();
    for (int at = 0; at < 2; at++)
        if ((code = MPI_T_pvar_get_index(others[at], MPI_T_PVAR_CLASS_COUNTER, &i)) != MPI_T_ERR_INVALID_NAME)
            FAILS("the name '%s' gives code %d", others[at], code);
    HOLDS(1, "");
}
