/* R54: The nine verbosities ascend from USER_BASIC to MPIDEV_ALL. */
#include "conform.h"
static const int all[] = {
    MPI_T_VERBOSITY_USER_BASIC,    MPI_T_VERBOSITY_USER_DETAIL,  MPI_T_VERBOSITY_USER_ALL,
    MPI_T_VERBOSITY_TUNER_BASIC,   MPI_T_VERBOSITY_TUNER_DETAIL, MPI_T_VERBOSITY_TUNER_ALL,
    MPI_T_VERBOSITY_MPIDEV_BASIC, MPI_T_VERBOSITY_MPIDEV_DETAIL, MPI_T_VERBOSITY_MPIDEV_ALL};
int main(void)
{
    for (int i = 1; i < 9; i++)
        if (all[i - 1] >= all[i])
            FAILS("verbosity %d of 9 is %d, and the next one %d", i, all[i - 1], all[i]);
    HOLDS(1, "");
}
