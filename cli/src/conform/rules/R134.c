/* R134: The name of a performance variable in a class that it is not in gives INVALID_NAME. */
#include "conform.h"
static int is_known(const char *name, int class, int n)
{
    char known[512];
    for (int i = 0, of; i < n; i++)
        if (MPI_T_pvar_get_info(i, known, &(int){sizeof known}, 0, &of, 0, 0, 0, 0, 0, 0, 0, 0) == MPI_SUCCESS)
            if (of == class && strcmp(name, known) == 0)
                return 1;
    return 0;
}
int main(void)
{
    const int classes[] = {MPI_T_PVAR_CLASS_STATE, MPI_T_PVAR_CLASS_PERCENTAGE, MPI_T_PVAR_CLASS_GENERIC};
    int n, tried = 0, found, code;
    char name[512];
    INIT();
    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n; i++)
        if (MPI_T_pvar_get_info(i, name, &(int){sizeof name}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) == MPI_SUCCESS)
            for (int at = 0; at < 3; at++)
                if (!is_known(name, classes[at], n) && ++tried)
                    if ((code = MPI_T_pvar_get_index(name, classes[at], &found)) != MPI_T_ERR_INVALID_NAME)
                        FAILS("%s is not of class %d, and its index there gives code %d", name, classes[at], code);
    HOLDS(tried, "performance variables");
}
