/* Each rank sends 1000 bytes to the rank opposite in the ring of all ranks, and prints its rank and the node that the
 * environment variable MPIT_TEST_NODE names. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char sent[1000] = {0}, received[1000];
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int peer = (rank + size / 2) % size;
    MPI_Sendrecv(sent, sizeof sent, MPI_CHAR, peer, 0, received, sizeof received, MPI_CHAR, peer, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    const char *node = getenv("MPIT_TEST_NODE");
    printf("rank %d on %s\n", rank, node ? node : "-");
    MPI_Finalize();
    return EXIT_SUCCESS;
}
