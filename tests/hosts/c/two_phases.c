/* A phase in which each rank sends to the next one, and then one in which it makes no calls. The second one lasts for some times that each are longer
 * than the interval between samples and leave the processors to the thread that takes them: on a busy machine, both wait for a processor. */
#define _GNU_SOURCE
#include <mpi.h>
#include <time.h>

/* The seconds of the first phase. */
#define SENDING 0.2

/* The pauses of the second phase, and their nanoseconds. */
#define PAUSES 8
#define PAUSE 150000000

int main(int argc, char **argv)
{
    int rank, size, goes_on = 1;
    char out[1000] = {0}, in[1000];
    struct timespec pause = {0, PAUSE};
    double begin;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    begin = MPI_Wtime();
    while (goes_on) {
        /* Ranks send different numbers of bytes. */
        MPI_Sendrecv(out, 100 * (rank + 1), MPI_CHAR, (rank + 1) % size, 0, in, sizeof in, MPI_CHAR,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        goes_on = MPI_Wtime() - begin < SENDING;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    for (int at = 0; at < PAUSES; at++)
        nanosleep(&pause, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
