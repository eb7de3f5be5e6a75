/* Calls of each kind: messages, collective operations and accesses. */
#ifndef MIXED_H
#define MIXED_H

#include <mpi.h>

enum { PROCESSES = 4 };

/* On a communicator of 4 processes. */
static void make_calls(MPI_Comm comm)
{
    int rank, out[16] = {0}, in[16], memory[16];
    const int counts[PROCESSES] = {1, 2, 3, 4}, displs[PROCESSES] = {0, 1, 3, 6};
    int mine[PROCESSES], mine_displs[PROCESSES];
    MPI_Request requests[2];
    MPI_Comm half;
    MPI_Win win;

    MPI_Comm_rank(comm, &rank);
    const int right = (rank + 1) % PROCESSES, left = (rank + PROCESSES - 1) % PROCESSES;
    for (int i = 0; i < PROCESSES; i++) {
        mine[i] = rank + 1;
        mine_displs[i] = i * (rank + 1);
    }

    for (int i = 0; i < 4; i++) {
        MPI_Irecv(in, 3, MPI_INT, left, 7, comm, &requests[0]);
        MPI_Isend(out, 3, MPI_INT, right, 7, comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }

    MPI_Bcast(out, 4, MPI_INT, 1, comm);
    MPI_Allreduce(MPI_IN_PLACE, out, 2, MPI_INT, MPI_SUM, comm);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : out, out, 5, MPI_INT, MPI_SUM, 0, comm);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, in, 3, MPI_INT, comm);
    MPI_Alltoallv(out, counts, displs, MPI_INT, in, mine, mine_displs, MPI_INT, comm);
    MPI_Ibarrier(comm, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    MPI_Comm_split(comm, rank % 2, 0, &half);
    MPI_Gather(out, 6, MPI_INT, in, 6, MPI_INT, 0, half);
    MPI_Barrier(half);
    MPI_Comm_free(&half);

    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, comm, &win);
    MPI_Win_fence(0, win);
    MPI_Put(out, 5, MPI_INT, right, 0, 5, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Get(in, 7, MPI_INT, left, 0, 7, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

#endif
