/* R25: The level provided is at least what was required, if that can be had. */
#include "conform.h"
int main(void)
{
    int of_mpi, provided = MPI_THREAD_SINGLE;
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &of_mpi);
    if (provided < MPI_THREAD_MULTIPLE && of_mpi == MPI_THREAD_MULTIPLE)
        FAILS("MPI_T_init_thread provides %d for MPI_THREAD_MULTIPLE, which MPI_Init_thread provides", provided);
    HOLDS(provided == MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE");
}
