/* Counts and times the calls of a program with the least means, for comparison with mpit. With LIBRARY defined, it is the content of a
 * profiling library: functions of MPI that call PMPI. Without, the program includes it, and its calls pass through functions of other
 * names to the functions of MPI, which are those of mpit. With ORACLE_ON_BOTH_SIDES, both
 * measure the calls, which also pass through mpit in between. */
#ifndef CALL_ORACLE_H
#define CALL_ORACLE_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ORACLE_NAMES(X)                                                                                                                \
    X(Send) X(Ssend) X(Recv) X(Sendrecv) X(Probe) X(Iprobe) X(Isend) X(Irecv) X(Wait) X(Waitall) X(Test) X(Barrier) X(Bcast)           \
    X(Reduce) X(Allreduce) X(Iallreduce) X(Comm_split) X(Comm_dup) X(Comm_free) X(Win_create) X(Win_fence) X(Win_free) X(Put)          \
    X(File_open) X(File_write_at) X(File_close)

#define ORACLE_INDEX(name) ORACLE_##name,
enum { ORACLE_NAMES(ORACLE_INDEX) ORACLE_CALLS };

/* The maximum number of collective operations on MPI_COMM_WORLD whose times are kept. */
#define ORACLE_KEPT 4096

#ifdef ORACLE_ON_BOTH_SIDES
extern uint64_t oracle_library_counts[ORACLE_CALLS], oracle_library_ns[ORACLE_CALLS];
#endif
/* The dynamic linker would take equal names of the program and the library for one variable. */
#ifdef LIBRARY
#define oracle_counts oracle_library_counts
#define oracle_ns oracle_library_ns
#define oracle_entries oracle_library_entries
#define oracle_exits oracle_library_exits
#define oracle_kept oracle_library_kept
#endif
uint64_t oracle_counts[ORACLE_CALLS], oracle_ns[ORACLE_CALLS], oracle_entries[ORACLE_KEPT], oracle_exits[ORACLE_KEPT];
int oracle_kept;

static inline uint64_t oracle_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#ifdef LIBRARY
#define ORACLE_DEFINE(name, params, args) int MPI_##name params ORACLE_BODY(name, PMPI_##name args)
#else
#define ORACLE_DEFINE(name, params, args) static inline int oracle_##name params ORACLE_BODY(name, MPI_##name args)
#endif
#define ORACLE_BODY(name, call)                                                                                                        \
    {                                                                                                                                  \
        const uint64_t begin = oracle_now();                                                                                           \
        const int code = call;                                                                                                         \
        const uint64_t end = oracle_now();                                                                                             \
        oracle_counts[ORACLE_##name]++;                                                                                                \
        oracle_ns[ORACLE_##name] += end - begin;                                                                                       \
        if (ORACLE_##name >= ORACLE_Barrier && ORACLE_##name <= ORACLE_Allreduce && comm == MPI_COMM_WORLD && oracle_kept < ORACLE_KEPT) { \
            oracle_entries[oracle_kept] = begin;                                                                                       \
            oracle_exits[oracle_kept++] = end;                                                                                         \
        }                                                                                                                              \
        return code;                                                                                                                   \
    }

#define comm MPI_COMM_NULL
ORACLE_DEFINE(Wait, (MPI_Request * r, MPI_Status *s), (r, s))
ORACLE_DEFINE(Waitall, (int n, MPI_Request r[], MPI_Status s[]), (n, r, s))
ORACLE_DEFINE(Test, (MPI_Request * r, int *f, MPI_Status *s), (r, f, s))
ORACLE_DEFINE(Comm_free, (MPI_Comm * c), (c))
ORACLE_DEFINE(Win_create, (void *b, MPI_Aint z, int u, MPI_Info i, MPI_Comm c, MPI_Win *w), (b, z, u, i, c, w))
ORACLE_DEFINE(Win_fence, (int a, MPI_Win w), (a, w))
ORACLE_DEFINE(Win_free, (MPI_Win * w), (w))
ORACLE_DEFINE(Put, (const void *b, int n, MPI_Datatype t, int p, MPI_Aint d, int m, MPI_Datatype u, MPI_Win w), (b, n, t, p, d, m, u, w))
ORACLE_DEFINE(File_open, (MPI_Comm c, const char *n, int m, MPI_Info i, MPI_File *f), (c, n, m, i, f))
ORACLE_DEFINE(File_write_at, (MPI_File f, MPI_Offset o, const void *b, int n, MPI_Datatype t, MPI_Status *s), (f, o, b, n, t, s))
ORACLE_DEFINE(File_close, (MPI_File * f), (f))
#undef comm
ORACLE_DEFINE(Send, (const void *b, int n, MPI_Datatype t, int p, int tag, MPI_Comm comm), (b, n, t, p, tag, comm))
ORACLE_DEFINE(Ssend, (const void *b, int n, MPI_Datatype t, int p, int tag, MPI_Comm comm), (b, n, t, p, tag, comm))
ORACLE_DEFINE(Recv, (void *b, int n, MPI_Datatype t, int p, int tag, MPI_Comm comm, MPI_Status *s), (b, n, t, p, tag, comm, s))
ORACLE_DEFINE(Sendrecv,
    (const void *b, int n, MPI_Datatype t, int p, int tag, void *c, int m, MPI_Datatype u, int q, int other, MPI_Comm comm, MPI_Status *s),
    (b, n, t, p, tag, c, m, u, q, other, comm, s))
ORACLE_DEFINE(Probe, (int p, int tag, MPI_Comm comm, MPI_Status *s), (p, tag, comm, s))
ORACLE_DEFINE(Iprobe, (int p, int tag, MPI_Comm comm, int *f, MPI_Status *s), (p, tag, comm, f, s))
ORACLE_DEFINE(Isend, (const void *b, int n, MPI_Datatype t, int p, int tag, MPI_Comm comm, MPI_Request *r), (b, n, t, p, tag, comm, r))
ORACLE_DEFINE(Irecv, (void *b, int n, MPI_Datatype t, int p, int tag, MPI_Comm comm, MPI_Request *r), (b, n, t, p, tag, comm, r))
ORACLE_DEFINE(Barrier, (MPI_Comm comm), (comm))
ORACLE_DEFINE(Bcast, (void *b, int n, MPI_Datatype t, int p, MPI_Comm comm), (b, n, t, p, comm))
ORACLE_DEFINE(Reduce, (const void *b, void *c, int n, MPI_Datatype t, MPI_Op o, int p, MPI_Comm comm), (b, c, n, t, o, p, comm))
ORACLE_DEFINE(Allreduce, (const void *b, void *c, int n, MPI_Datatype t, MPI_Op o, MPI_Comm comm), (b, c, n, t, o, comm))
ORACLE_DEFINE(Iallreduce, (const void *b, void *c, int n, MPI_Datatype t, MPI_Op o, MPI_Comm comm, MPI_Request *r),
    (b, c, n, t, o, comm, r))
ORACLE_DEFINE(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *new), (comm, color, key, new))
ORACLE_DEFINE(Comm_dup, (MPI_Comm comm, MPI_Comm *new), (comm, new))

#ifndef LIBRARY
/* Prints a line `WORD RANK NAME COUNT NS` for each call that was made. */
static void oracle_print(const char *word, int rank, const uint64_t counts[ORACLE_CALLS], const uint64_t ns[ORACLE_CALLS])
{
#define ORACLE_TEXT(name) #name,
    static const char *const names[] = { ORACLE_NAMES(ORACLE_TEXT) };
    for (int at = 0; at < ORACLE_CALLS; at++) {
        if (counts[at] != 0) {
            printf("%s %d %s %llu %llu\n", word, rank, names[at], (unsigned long long)counts[at], (unsigned long long)ns[at]);
        }
    }
    fflush(stdout);
}

/* Prints lines `call`, and with oracles on both sides of mpit lines `inner` for the one behind it. */
static void oracle_print_calls(int rank)
{
#ifdef ORACLE_ON_BOTH_SIDES
    oracle_print("inner", rank, oracle_library_counts, oracle_library_ns);
#endif
    oracle_print("call", rank, oracle_counts, oracle_ns);
}

/* Prints, at rank 0, a line `late RANK OPERATIONS WAITED LAST` for each rank: the nanoseconds that it waited for the last one in
 * collective operations on MPI_COMM_WORLD, and the number of those in which it was the last one. */
static void oracle_print_late(int rank, int size)
{
    const size_t all = (size_t)size * ORACLE_KEPT;
    uint64_t *entries = malloc(all * sizeof *entries), *exits = malloc(all * sizeof *exits);
    if (!entries || !exits) {
        abort();
    }
    MPI_Gather(oracle_entries, ORACLE_KEPT, MPI_UINT64_T, entries, ORACLE_KEPT, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    MPI_Gather(oracle_exits, ORACLE_KEPT, MPI_UINT64_T, exits, ORACLE_KEPT, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (int of = 0; rank == 0 && of < size; of++) {
        uint64_t waited = 0;
        int last = 0;
        for (int at = 0; at < oracle_kept; at++) {
            const uint64_t entry = entries[of * ORACLE_KEPT + at], leave = exits[of * ORACLE_KEPT + at];
            uint64_t latest = 0;
            for (int other = 0; other < size; other++) {
                const uint64_t its = entries[other * ORACLE_KEPT + at];
                latest = its > latest ? its : latest;
            }
            waited += (leave < latest ? leave : latest) - entry;
            last += entry == latest;
        }
        printf("late %d %d %llu %d\n", of, oracle_kept, (unsigned long long)waited, last);
    }
    fflush(stdout);
    free(entries);
    free(exits);
}
#endif

#ifndef LIBRARY
#define MPI_Send oracle_Send
#define MPI_Ssend oracle_Ssend
#define MPI_Recv oracle_Recv
#define MPI_Sendrecv oracle_Sendrecv
#define MPI_Probe oracle_Probe
#define MPI_Iprobe oracle_Iprobe
#define MPI_Isend oracle_Isend
#define MPI_Irecv oracle_Irecv
#define MPI_Wait oracle_Wait
#define MPI_Waitall oracle_Waitall
#define MPI_Test oracle_Test
#define MPI_Barrier oracle_Barrier
#define MPI_Bcast oracle_Bcast
#define MPI_Reduce oracle_Reduce
#define MPI_Allreduce oracle_Allreduce
#define MPI_Iallreduce oracle_Iallreduce
#define MPI_Comm_split oracle_Comm_split
#define MPI_Comm_dup oracle_Comm_dup
#define MPI_Comm_free oracle_Comm_free
#define MPI_Win_create oracle_Win_create
#define MPI_Win_fence oracle_Win_fence
#define MPI_Win_free oracle_Win_free
#define MPI_Put oracle_Put
#define MPI_File_open oracle_File_open
#define MPI_File_write_at oracle_File_write_at
#define MPI_File_close oracle_File_close
#endif

#endif
