/* A phase in which each rank sends to the next one, and then one in which it computes. The phases have a minimum length, so that samples fall into
 * each of them; how often they send depends on the machine. */
#include <mpi.h>

/* The seconds of the phases. */
#define SENDING 0.5
#define COMPUTING 1.5

int main(int argc, char **argv)
{
    int rank, size, goes_on = 1;
    char out[1000] = {0}, in[1000];
    volatile double sum = 0;
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
    begin = MPI_Wtime();
    while (MPI_Wtime() - begin < COMPUTING)
        for (int step = 0; step < 1000; step++)
            sum = sum + step;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
