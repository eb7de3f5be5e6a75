/* A library to preload that counts sends and collective operations with the least work: the floor of what a tool can add to them.
 *
 * It forwards by a tail call, and adds to a number of calls and a number of bytes. It looks nothing up, because it expects that a
 * call has the same arguments as the one before, which the benchmarks do. It knows no threads, errors, freed objects or histograms,
 * so no tool can use it. With THREADS, each thread has numbers of its own. With SHIFT, the code is moved by as many bytes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

/* The last call of a kind, the bytes of one of its elements, and the sums of such calls. */
struct last {
    MPI_Comm comm;
    MPI_Datatype type;
    int rank, size;
    unsigned long long calls, bytes;
};

typedef int isend(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
typedef int barrier(MPI_Comm);
typedef int allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
typedef int type_size(MPI_Datatype, int *);

#if defined SHIFT
#define SKIP_TEXT(bytes) __asm__(".text\n.skip " #bytes)
#define SKIP(bytes) SKIP_TEXT(bytes)
SKIP(SHIFT);
#endif

static isend *next_isend;
static barrier *next_barrier;
static allreduce *next_allreduce;
#if defined THREADS
#define OF_EACH _Thread_local
#else
#define OF_EACH
#endif
static OF_EACH struct last last_send, last_barrier, last_allreduce;

/* The next definition of a function. The launcher loads this library, too, and has none. */
static uintptr_t next(const char *name)
{
    return (uintptr_t)dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void find_next(void)
{
    next_isend = (isend *)next("MPI_Isend");
    next_barrier = (barrier *)next("MPI_Barrier");
    next_allreduce = (allreduce *)next("MPI_Allreduce");
}

static __attribute__((noinline)) void remember(struct last *last, MPI_Comm comm, MPI_Datatype type, int rank)
{
    type_size *query = (type_size *)next("MPI_Type_size");
    if (!query || query(type, &last->size) != MPI_SUCCESS)
        abort();
    last->comm = comm;
    last->type = type;
    last->rank = rank;
}

int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    if (comm != last_send.comm || type != last_send.type || dest != last_send.rank || !last_send.calls)
        remember(&last_send, comm, type, dest);
    last_send.calls++;
    last_send.bytes += (unsigned long long)count * (unsigned)last_send.size;
    return next_isend(buf, count, type, dest, tag, comm, request);
}

int MPI_Barrier(MPI_Comm comm)
{
    if (comm != last_barrier.comm)
        last_barrier.comm = comm;
    last_barrier.calls++;
    return next_barrier(comm);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    if (comm != last_allreduce.comm || type != last_allreduce.type || !last_allreduce.calls)
        remember(&last_allreduce, comm, type, 0);
    last_allreduce.calls++;
    last_allreduce.bytes += (unsigned long long)count * (unsigned)last_allreduce.size;
    return next_allreduce(from, to, count, type, op, comm);
}
