/* `across_hosts [laps [milliseconds]]`: messages of a megabyte around a ring, one lap by default, and an allreduce. Each process prints its
 * rank and its machine. The last process is late for `MPI_Finalize` by the milliseconds. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BYTES = 1 << 20, TAG = 7 };

int main(int argc, char **argv)
{
    int rank, size, length, sum;
    char machine[MPI_MAX_PROCESSOR_NAME];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(machine, &length);
    char *out = calloc(BYTES, 1), *in = calloc(BYTES, 1);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (long laps = argc > 1 ? atol(argv[1]) : 1; laps > 0; laps--)
        MPI_Sendrecv(out, BYTES, MPI_BYTE, right, TAG, in, BYTES, MPI_BYTE, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d of %d on %s, sum %d\n", rank, size, machine, sum);
    fflush(stdout);
    if (argc > 2 && rank == size - 1)
        nanosleep(&(struct timespec){.tv_nsec = 1000000 * atol(argv[2])}, NULL);
    free(out);
    free(in);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
