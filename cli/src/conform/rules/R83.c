/* R83: Verbosity, kind of object and scope of a control variable are constants of their families. */
#include "conform.h"
#include "cvar.h"
static int is_in(int value, const int *family, int size)
{
    while (size-- > 0)
        if (family[size] == value)
            return 1;
    return 0;
}
int main(void)
{
    const int levels[] = {MPI_T_VERBOSITY_USER_BASIC,  MPI_T_VERBOSITY_USER_DETAIL,  MPI_T_VERBOSITY_USER_ALL,
                          MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_VERBOSITY_TUNER_DETAIL, MPI_T_VERBOSITY_TUNER_ALL,
                          MPI_T_VERBOSITY_MPIDEV_BASIC, MPI_T_VERBOSITY_MPIDEV_DETAIL, MPI_T_VERBOSITY_MPIDEV_ALL};
    const int scopes[] = {MPI_T_SCOPE_CONSTANT, MPI_T_SCOPE_READONLY, MPI_T_SCOPE_LOCAL, MPI_T_SCOPE_GROUP,
                          MPI_T_SCOPE_GROUP_EQ, MPI_T_SCOPE_ALL, MPI_T_SCOPE_ALL_EQ};
    FOR_EACH(i)
        if (++tried && (!is_in(verbosity, levels, 9) || !is_in(scope, scopes, 7)))
            FAILS("%s: verbosity %d, scope %d", name, verbosity, scope);
    HOLDS(tried, "control variables");
}
