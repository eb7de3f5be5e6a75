/* Calls that the benchmarks measure, of one process. */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include <mpi.h>

/* A message of rank 0 to itself: four calls. */
static inline void message_to_itself(void *to, const void *from, int count, MPI_Datatype type, int tag, MPI_Comm comm)
{
    MPI_Request requests[2];
    MPI_Irecv(to, count, type, 0, tag, comm, &requests[0]);
    MPI_Isend(from, count, type, 0, tag, comm, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static inline void allreduce_of_one(MPI_Comm comm)
{
    double mine = 1, sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
}

#endif
