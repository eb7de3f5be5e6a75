/* Rank 1 is in one call after the other that waits for rank 0, which waits for a line of its standard input before it makes the
   matching call. Rank 0 prints the name of the run and of each step. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank;

static void step(const char *name)
{
    char line[16];
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("step %s\n", name);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void messages(MPI_Comm comm)
{
    int data[20] = {0}, other = 1 - rank;
    MPI_Request requests[2];

    step("recv");
    if (rank == 1)
        MPI_Recv(data, 10, MPI_INT, 0, 7, comm, MPI_STATUS_IGNORE);
    else
        MPI_Send(data, 10, MPI_INT, 1, 7, comm);
    step("recv any");
    if (rank == 1)
        MPI_Recv(data, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(data, 1, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
    step("ssend");
    if (rank == 1)
        MPI_Ssend(data, 3, MPI_INT, 0, 8, comm);
    else
        MPI_Recv(data, 3, MPI_INT, 1, 8, comm, MPI_STATUS_IGNORE);
    step("sendrecv");
    MPI_Sendrecv(data, 2, MPI_INT, other, 30 + rank, data + 5, 2, MPI_INT, other, 30 + other, comm, MPI_STATUS_IGNORE);
    step("probe");
    if (rank == 1) {
        MPI_Probe(0, 9, comm, MPI_STATUS_IGNORE);
        MPI_Recv(data, 1, MPI_INT, 0, 9, comm, MPI_STATUS_IGNORE);
    } else
        MPI_Send(data, 1, MPI_INT, 1, 9, comm);
    step("wait");
    if (rank == 1) {
        MPI_Irecv(data, 1, MPI_INT, 0, 10, comm, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else
        MPI_Send(data, 1, MPI_INT, 1, 10, comm);
    step("waitall");
    if (rank == 1) {
        MPI_Irecv(data, 1, MPI_INT, 0, 11, comm, &requests[0]);
        MPI_Irecv(data, 1, MPI_INT, MPI_ANY_SOURCE, 12, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(data, 1, MPI_INT, 1, 11, comm);
        MPI_Send(data, 1, MPI_INT, 1, 12, MPI_COMM_WORLD);
    }
}

static void collectives(MPI_Comm comm)
{
    int data[4] = {0}, sum[4];
    MPI_Comm half;
    MPI_Request request;

    step("barrier");
    MPI_Barrier(comm);
    step("bcast");
    MPI_Bcast(data, 4, MPI_INT, 0, comm);
    step("allreduce");
    MPI_Allreduce(data, sum, 4, MPI_INT, MPI_SUM, comm);
    step("ibarrier");
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    step("split");
    MPI_Comm_split(comm, 0, -rank, &half);
    step("barrier of split");
    MPI_Barrier(half);
    MPI_Comm_free(&half);
}

static void windows(void)
{
    int *memory;
    MPI_Win win;

    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    step("fence");
    MPI_Win_fence(0, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    step("lock");
    if (rank == 0)
        MPI_Win_unlock(0, win);
    else {
        int one = 1;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%s\n", getenv("MPIT_RUN"));
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "work");
    messages(comm);
    collectives(comm);
    windows();
    step("outside");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    step("finalize");
    MPI_Finalize();
    return 0;
}
