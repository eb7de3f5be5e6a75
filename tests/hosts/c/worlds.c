/* Sends some messages, optionally together with a spawned world.
 *
 *     worlds N              each process sends N messages to the next one
 *     worlds N spawn        rank 0 spawns a world of two processes, each of which sends three messages
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size, n = argc > 1 ? atoi(argv[1]) : 3, block = 0;
    MPI_Comm parent, inter;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    for (int i = 0; i < n; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &block, 1, MPI_INT, (rank + size - 1) % size, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    /* MPICH fails if a process ends before all processes of the other world have connected to it. */
    if (parent != MPI_COMM_NULL) {
        MPI_Barrier(parent);
        MPI_Comm_disconnect(&parent);
    } else if (argc > 2 && strcmp(argv[2], "spawn") == 0) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
        MPI_Barrier(inter);
        MPI_Comm_disconnect(&inter);
    }
    MPI_Finalize();
    return 0;
}
