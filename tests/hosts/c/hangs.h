/* The parts that programs which hang have in common: see hangs.c. */
#ifndef HANGS_H
#define HANGS_H

#include "require.h"
#include <string.h>
#include <unistd.h>

enum { PROCESSES = 4, LARGE = 4 << 20, LIMIT_SECONDS = 100 };

static int me, in, out;
static char large_in[2 * LARGE], large_out[2 * LARGE];

struct kind {
    const char *name;
    void (*run)(void);
};
#define KIND(name) {#name, name}

static inline void receive(int from, int tag)
{
    MPI_Recv(&in, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static inline void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline void allreduce(void)
{
    MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Three allreduces, and a round of messages in a ring with tag 1. */
static inline void begin(void)
{
    int size;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    require(size == PROCESSES, "needs 4 processes");
    for (int i = 0; i < 3; i++)
        allreduce();
    MPI_Sendrecv(&out, 1, MPI_INT, (me + 1) % PROCESSES, 1, &in, 1, MPI_INT, (me + PROCESSES - 1) % PROCESSES, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Runs the kind of a name. Returns 0 if there is none. */
static inline int run_kind(const char *name, const struct kind *kinds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, kinds[i].name) == 0) {
            kinds[i].run();
            return 1;
        }
    }
    return 0;
}

#endif
