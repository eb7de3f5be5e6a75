/* A program that wraps MPI functions by the profiling interface. Messages sent through its wrappers must be recorded once.
 *
 *     pmpi_wrappers DIRECTORY     (2 processes)
 */
#include "expected_rows.h"

enum { PROCESSES = 2 };

static int wrapped;

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    wrapped++;
    return PMPI_Send(buf, count, type, dest, tag, comm);
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    wrapped++;
    return PMPI_Allreduce(sendbuf, recvbuf, count, type, op, comm);
}

int MPI_Pcontrol(const int level, ...)
{
    wrapped++;
    return PMPI_Pcontrol(level);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    wrapped++;
    return PMPI_Init_thread(argc, argv, required, provided);
}

int MPI_Finalize(void)
{
    wrapped++;
    return PMPI_Finalize();
}

static void exchange(int elements, int recorded)
{
    int block[64] = {0}, received[64];
    MPI_Request request;

    MPI_Irecv(received, elements, MPI_INT, 1 - world_rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(block, elements, MPI_INT, 1 - world_rank, 0, MPI_COMM_WORLD);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(block, received, elements, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (recorded) {
        expect("E", 1 - world_rank, 1, elements * INT);
        expect_collective("A2A", "MPI_COMM_WORLD", 1, elements * INT);
    }
}

int main(int argc, char **argv)
{
    open_expected_rows(&argc, &argv, PROCESSES);
    exchange(1, 1);
    exchange(2, 1);
    MPI_Pcontrol(0);
    exchange(4, 0);
    MPI_Pcontrol(1);
    exchange(8, 1);
    require(wrapped == 11, "wrappers");
    return close_expected_rows();
}
