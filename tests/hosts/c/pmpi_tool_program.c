/* A program of one process that is linked with pmpi_tool.c, whose MPI_Send and MPI_Pcontrol it calls. It sends itself three
 * messages, which must be recorded. */
#include <mpi.h>

static void send(void)
{
    int block = 1, received;
    MPI_Request request;

    MPI_Irecv(&received, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&block, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    send();
    MPI_Pcontrol(5, 2.5, "more", 1L << 40, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0);
    send();
    MPI_Pcontrol(0);
    send();
    MPI_Pcontrol(1);
    send();
    MPI_Finalize();
    return 0;
}
