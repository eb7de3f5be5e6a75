/* Libraries to preload that do for the calls of a benchmark the least that a state of mpit's library needs: the floors of what it adds.
 *
 *     OFF          compares the number of listeners with 0, and forwards by a jump
 *     DESCRIBING   stores the call in progress, for a process that observes this one, and removes it after the call
 *     TIMING=1     describes the calls that may wait, reads the clock before and after them, and adds to a number of calls and of ticks
 *     TIMING=2     the same for all calls
 *     SITES        TIMING=2, with numbers for each place that calls, which a hash of its address finds
 *
 * They know no threads, errors, communicators or exits of a call, so no tool can use them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>

#if defined SITES
#define TIMING 2
#endif

enum { IRECV = 1, ISEND, WAIT, BARRIER, ALLREDUCE, CALLS };

typedef int irecv(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
typedef int isend(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
typedef int wait(MPI_Request *, MPI_Status *);
typedef int barrier(MPI_Comm);
typedef int allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);

static irecv *next_irecv;
static isend *next_isend;
static wait *next_wait;
static barrier *next_barrier;
static allreduce *next_allreduce;

/* The next definition of a function. The launcher loads this library, too, and has none. */
static uintptr_t next(const char *name)
{
    return (uintptr_t)dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void find_next(void)
{
    next_irecv = (irecv *)next("MPI_Irecv");
    next_isend = (isend *)next("MPI_Isend");
    next_wait = (wait *)next("MPI_Wait");
    next_barrier = (barrier *)next("MPI_Barrier");
    next_allreduce = (allreduce *)next("MPI_Allreduce");
}

/* Forwards a call while nothing listens to it. A tool may listen later, so the number is loaded each time. */
static volatile unsigned listeners, notified[CALLS];

#define FORWARD(which, call) \
    if (listeners)           \
        notified[which]++; \
    return call;

#if defined DESCRIBING || defined TIMING
/* The call in progress: what it is, and the rank, tag and communicator that it waits for. */
static volatile struct {
    int number, rank, tag;
    MPI_Comm comm;
} current;

static inline void describe(int which, int rank, int tag, MPI_Comm comm)
{
    current.rank = rank;
    current.tag = tag;
    current.comm = comm;
    current.number = which;
}
#endif

#if defined DESCRIBING
#define CALL(which, peer, tag, comm, call) \
    describe(which, peer, tag, comm);      \
    int code = call;                       \
    current.number = 0;                    \
    return code;
#elif defined TIMING
/* The clock of mpit's times. */
static inline uint64_t ticks(void)
{
#if defined __x86_64__
    return __builtin_ia32_rdtsc();
#else
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#endif
}

struct cell {
    uintptr_t place;
    uint64_t calls, ticks;
};

#if defined SITES
enum { CELL_BITS = 10 };
static struct cell cells[1 << CELL_BITS];

/* The cell of the place that a call returns to. Places of the same hash share it: the benchmarks have few. */
static inline struct cell *cell_of(int which, uintptr_t place)
{
    struct cell *cell = &cells[((place + (uintptr_t)which) * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - CELL_BITS)];
    if (cell->place != place)
        cell->place = place;
    return cell;
}
#define CELL(which) cell_of(which, (uintptr_t)__builtin_return_address(0))
#else
static struct cell cells[CALLS];
#define CELL(which) (&cells[which])
#endif

#define MEASURE(which, peer, tag, comm, call) \
    struct cell *cell = CELL(which);          \
    describe(which, peer, tag, comm);         \
    const uint64_t begin = ticks();           \
    int code = call;                          \
    cell->ticks += ticks() - begin;           \
    cell->calls++;                            \
    current.number = 0;                       \
    return code;

#define MAY_WAIT(which) ((which) >= WAIT)
#define CALL(which, peer, tag, comm, call)     \
    if (TIMING == 1 && !MAY_WAIT(which)) {     \
        FORWARD(which, call)                   \
    }                                          \
    MEASURE(which, peer, tag, comm, call)
#else
#define CALL(which, peer, tag, comm, call) FORWARD(which, call)
#endif

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    CALL(IRECV, source, tag, comm, next_irecv(buf, count, type, source, tag, comm, request))
}

int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    CALL(ISEND, dest, tag, comm, next_isend(buf, count, type, dest, tag, comm, request))
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    CALL(WAIT, 0, 0, MPI_COMM_NULL, next_wait(request, status))
}

int MPI_Barrier(MPI_Comm comm)
{
    CALL(BARRIER, 0, 0, comm, next_barrier(comm))
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    CALL(ALLREDUCE, 0, 0, comm, next_allreduce(from, to, count, type, op, comm))
}
