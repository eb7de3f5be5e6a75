/* A call of MPI_Pcontrol before MPI_Init, which present libraries refuse: a profiling tool in front of the library accepts it.
 *
 *     early_level LEVEL          (any number of processes)
 *
 * Makes two reductions, resumes recording, and makes three more. */
#include <mpi.h>
#include <stdlib.h>

#ifdef LIBRARY
int MPI_Pcontrol(const int level, ...)
{
    int flag;
    return PMPI_Initialized(&flag);
}
#else
static void reduce(int times)
{
    int one = 1, sum;
    while (times-- > 0)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Pcontrol(atoi(argv[1]));
    MPI_Init(&argc, &argv);
    reduce(2);
    MPI_Pcontrol(1);
    reduce(3);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
#endif
