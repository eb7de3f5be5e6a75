/* A program that starts MPI, prints the memory of its first process, and ends MPI. */
#include "bench_memory.h"

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        print_memory();
    MPI_Finalize();
    return 0;
}
