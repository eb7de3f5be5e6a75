/* A program for the tool: rank 0 sends 20 messages, and rank 1 receives the last one first. */
#include <mpi.h>

int main(int argc, char **argv)
{
    enum { MESSAGES = 20 };
    int rank, value = 7;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int tag = 0; rank == 0 && tag < MESSAGES; tag++)
        MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD); /* all of them have arrived */
    for (int tag = MESSAGES - 1; rank == 1 && tag >= 0; tag--)
        MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
