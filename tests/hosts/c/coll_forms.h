/* The forms of a collective operation: blocking, nonblocking and persistent, with int counts and with large counts.
 *
 * In libraries without large counts, the preload library provides these functions; they are called if they exist. */
#ifndef COLL_FORMS_H
#define COLL_FORMS_H

#include "expected_rows.h"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAVE_PERSISTENT 1
#define INIT(NAME) MPI_##NAME##_init
#elif defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4
/* An extension in these libraries, without large counts. */
#include <mpi-ext.h>
#define HAVE_PERSISTENT 1
#define HAVE_LARGE_PERSISTENT 0
#define INIT(NAME) MPIX_##NAME##_init
#else
#define HAVE_PERSISTENT 0
#endif
#ifndef HAVE_LARGE_PERSISTENT
#define HAVE_LARGE_PERSISTENT HAVE_PERSISTENT
#endif

enum form { BLOCKING, NONBLOCKING, PERSISTENT, LARGE, LARGE_NONBLOCKING, LARGE_PERSISTENT, FORMS };
static const char *const FORM_NAMES[] = {"blocking", "nonblocking", "persistent",
                                         "large", "large nonblocking", "large persistent"};

#if MPI_VERSION >= 4
#define HAVE_LARGE 1
#else
#define HAVE_LARGE (MPI_Bcast_c != NULL)
#define WEAK __attribute__((weak))
#define LARGE_FORMS(NAME, name, ...) \
    int MPI_##NAME##_c(__VA_ARGS__) WEAK; \
    int MPI_I##name##_c(__VA_ARGS__, MPI_Request *) WEAK; \
    int MPI_##NAME##_init_c(__VA_ARGS__, MPI_Info, MPI_Request *) WEAK;
#define BUF void *
#define CBUF const void *
#define N MPI_Count
#define NS const MPI_Count *
#define AT const MPI_Aint *
#define T MPI_Datatype
#define TS const MPI_Datatype *
LARGE_FORMS(Bcast, bcast, BUF, N, T, int, MPI_Comm)
LARGE_FORMS(Gather, gather, CBUF, N, T, BUF, N, T, int, MPI_Comm)
LARGE_FORMS(Gatherv, gatherv, CBUF, N, T, BUF, NS, AT, T, int, MPI_Comm)
LARGE_FORMS(Scatter, scatter, CBUF, N, T, BUF, N, T, int, MPI_Comm)
LARGE_FORMS(Scatterv, scatterv, CBUF, NS, AT, T, BUF, N, T, int, MPI_Comm)
LARGE_FORMS(Allgather, allgather, CBUF, N, T, BUF, N, T, MPI_Comm)
LARGE_FORMS(Allgatherv, allgatherv, CBUF, N, T, BUF, NS, AT, T, MPI_Comm)
LARGE_FORMS(Alltoall, alltoall, CBUF, N, T, BUF, N, T, MPI_Comm)
LARGE_FORMS(Alltoallv, alltoallv, CBUF, NS, AT, T, BUF, NS, AT, T, MPI_Comm)
LARGE_FORMS(Alltoallw, alltoallw, CBUF, NS, AT, TS, BUF, NS, AT, TS, MPI_Comm)
LARGE_FORMS(Reduce, reduce, CBUF, BUF, N, T, MPI_Op, int, MPI_Comm)
LARGE_FORMS(Allreduce, allreduce, CBUF, BUF, N, T, MPI_Op, MPI_Comm)
LARGE_FORMS(Reduce_scatter, reduce_scatter, CBUF, BUF, NS, T, MPI_Op, MPI_Comm)
LARGE_FORMS(Reduce_scatter_block, reduce_scatter_block, CBUF, BUF, N, T, MPI_Op, MPI_Comm)
LARGE_FORMS(Scan, scan, CBUF, BUF, N, T, MPI_Op, MPI_Comm)
LARGE_FORMS(Exscan, exscan, CBUF, BUF, N, T, MPI_Op, MPI_Comm)
LARGE_FORMS(Neighbor_allgather, neighbor_allgather, CBUF, N, T, BUF, N, T, MPI_Comm)
LARGE_FORMS(Neighbor_allgatherv, neighbor_allgatherv, CBUF, N, T, BUF, NS, AT, T, MPI_Comm)
LARGE_FORMS(Neighbor_alltoall, neighbor_alltoall, CBUF, N, T, BUF, N, T, MPI_Comm)
LARGE_FORMS(Neighbor_alltoallv, neighbor_alltoallv, CBUF, NS, AT, T, BUF, NS, AT, T, MPI_Comm)
LARGE_FORMS(Neighbor_alltoallw, neighbor_alltoallw, CBUF, NS, AT, TS, BUF, NS, AT, TS, MPI_Comm)
#undef BUF
#undef CBUF
#undef N
#undef NS
#undef AT
#undef T
#undef TS
#endif

#define UNPACK(...) __VA_ARGS__
#if HAVE_PERSISTENT
#define PERSISTENT_FORMS(NAME, SMALL, BIG) \
    case PERSISTENT: return INIT(NAME)(UNPACK SMALL, MPI_INFO_NULL, request); \
    case LARGE_PERSISTENT: return MPI_##NAME##_init_c(UNPACK BIG, MPI_INFO_NULL, request);
#else
#define PERSISTENT_FORMS(NAME, SMALL, BIG)
#endif

/* Calls an operation in the form `form`, with arguments for int counts or for large ones; `request` takes its request. */
#define CALL(NAME, name, SMALL, BIG) \
    switch (form) { \
    case BLOCKING: return MPI_##NAME SMALL; \
    case NONBLOCKING: return MPI_I##name(UNPACK SMALL, request); \
    case LARGE: return MPI_##NAME##_c BIG; \
    case LARGE_NONBLOCKING: return MPI_I##name##_c(UNPACK BIG, request); \
    PERSISTENT_FORMS(NAME, SMALL, BIG) \
    default: return MPI_ERR_OTHER; \
    }

/* CALL with one list of arguments for both kinds of counts. */
#define CALL_ALIKE(NAME, name, ARGUMENTS) CALL(NAME, name, ARGUMENTS, ARGUMENTS)

static inline int has_form(enum form form)
{
    const int large = form >= LARGE, persistent = form == PERSISTENT || form == LARGE_PERSISTENT;
    return (!large || HAVE_LARGE) && (!persistent || (large ? HAVE_LARGE_PERSISTENT : HAVE_PERSISTENT));
}

/* Blocks of ints, one behind the other, with counts and places in each form. */
enum { MOST_BLOCKS = 6 };
struct blocks {
    int counts[MOST_BLOCKS], displs[MOST_BLOCKS], places[MOST_BLOCKS], total;
    MPI_Count large_counts[MOST_BLOCKS];
    MPI_Aint large_displs[MOST_BLOCKS], large_places[MOST_BLOCKS];
};

static inline void lay_out_blocks(struct blocks *blocks, int number, const int *counts)
{
    blocks->total = 0;
    for (int i = 0; i < number; i++) {
        blocks->large_counts[i] = blocks->counts[i] = counts[i];
        blocks->large_displs[i] = blocks->displs[i] = blocks->total;
        blocks->large_places[i] = blocks->places[i] = blocks->total * (int)INT;
        blocks->total += counts[i];
    }
}

/* The number of starts of a persistent operation. */
enum { STARTS = 2 };

/* Completes an operation that was called in the form `form`; returns how often it was executed. */
static inline int complete(enum form form, MPI_Request *request)
{
    if (form == BLOCKING || form == LARGE)
        return 1;
    if (form == NONBLOCKING || form == LARGE_NONBLOCKING) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
        return 1;
    }
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Startall(1, request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Request_free(request);
    return STARTS;
}

#endif
