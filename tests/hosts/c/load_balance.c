/* Ranks compute for different times, so that the load balance is 0.75 and rank 1 arrives last. Its argument makes a rank end early. */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 20 };

int main(int argc, char **argv)
{
    int rank, size;
    char out[1000] = {0}, in[1000];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < STEPS; step++) {
        /* Sleeping: more ranks than processors would compute one after the other. The mean of 60, 40, 40 and 40 is 45. */
        struct timespec work = {0, (rank == 1 ? 60 : 40) * 1000000L};

        nanosleep(&work, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Sendrecv(out, sizeof out, MPI_CHAR, (rank + 1) % size, 0, in, sizeof in, MPI_CHAR, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (step == STEPS / 2 && argc > 1 && rank == 2 && strcmp(argv[1], "abort") == 0)
            abort();
    }
    MPI_Finalize();
    return 0;
}
