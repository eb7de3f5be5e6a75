/* A library to preload that measures calls as profilers do: by the profiling interface, with the clock read before and after each
 * call. It knows no histograms, communicators or threads. */
#include <mpi.h>

enum { IRECV, ISEND, WAIT, BARRIER, ALLREDUCE, CALLS };

static struct {
    unsigned long long count;
    double seconds;
} calls[CALLS];

/* Measures a call. */
#define MEASURE(which, call)                         \
    double begin = MPI_Wtime();                      \
    int code = call;                                 \
    calls[which].seconds += MPI_Wtime() - begin;     \
    calls[which].count++;                            \
    return code;

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    MEASURE(IRECV, PMPI_Irecv(buf, count, type, source, tag, comm, request))
}

int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    MEASURE(ISEND, PMPI_Isend(buf, count, type, dest, tag, comm, request))
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    MEASURE(WAIT, PMPI_Wait(request, status))
}

int MPI_Barrier(MPI_Comm comm)
{
    MEASURE(BARRIER, PMPI_Barrier(comm))
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    MEASURE(ALLREDUCE, PMPI_Allreduce(from, to, count, type, op, comm))
}
