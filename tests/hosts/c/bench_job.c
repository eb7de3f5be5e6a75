/* A program that starts MPI, prints the memory of its first process, and ends MPI. With an argument, each process has sent a message
 * and taken part in an operation before. */
#include "bench_memory.h"

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in, out = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1) {
        MPI_Sendrecv(&out, 1, MPI_INT, rank, 0, &in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        print_memory();
    MPI_Finalize();
    return 0;
}
