/* Two processes, of which one computes longer than the other before each call, so that the time of the other one in the call is known: it
 * lasts until the end of the longer computation. The calls have different names, and the times differ by steps. Prints a line for each process
 * and call: `computed RANK CALL BEGIN END DELAY`, with the times on CLOCK_MONOTONIC between which the process computed before the call, and the
 * nanoseconds for which it was ready from then to the end of the call, but other processes had the processors. */
#define _POSIX_C_SOURCE 200809L
#include "require.h"
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

/* The longer computation lasts as long as the shorter one and the wait of the other process. */
enum { SHORT_MS = 50, LEAST_WAIT_MS = 200, STEP_MS = 10, TAG = 1 };

enum pattern { BARRIER, ALLREDUCE, BCAST, REDUCE, RECV, SSEND, WAIT, WAITALL, PROBE, FENCE, ALLTOALL, GATHER, PATTERNS };

/* The call in which the other process waits, and the late process. */
static const struct {
    const char *call;
    int late;
} patterns[PATTERNS] = {
    [BARRIER] = {"Barrier", 1},
    [ALLREDUCE] = {"Allreduce", 1},
    [BCAST] = {"Bcast", 0},
    [REDUCE] = {"Reduce", 1},
    [RECV] = {"Recv", 0},
    [SSEND] = {"Ssend", 1},
    [WAIT] = {"Wait", 0},
    [WAITALL] = {"Waitall", 1},
    [PROBE] = {"Probe", 0},
    [FENCE] = {"Win_fence", 1},
    [ALLTOALL] = {"Alltoall", 1},
    /* The last one, because the library decides if the other process waits for the root, or leaves before. */
    [GATHER] = {"Gather", 1},
};

static MPI_Win window;
static int other, in[2], out[2];

/* Makes the calls of the late process for a pattern of messages. */
static void be_late(enum pattern pattern)
{
    if (pattern == SSEND)
        MPI_Recv(in, 1, MPI_INT, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(out, 1, MPI_INT, other, TAG, MPI_COMM_WORLD);
    if (pattern == WAITALL)
        MPI_Send(out, 1, MPI_INT, other, TAG, MPI_COMM_WORLD);
}

/* Makes the calls of the other process. */
static void wait_for_late(enum pattern pattern)
{
    MPI_Request requests[2];

    if (pattern == SSEND) {
        MPI_Ssend(out, 1, MPI_INT, other, TAG, MPI_COMM_WORLD);
    } else if (pattern == WAIT || pattern == WAITALL) {
        MPI_Irecv(&in[0], 1, MPI_INT, other, TAG, MPI_COMM_WORLD, &requests[0]);
        if (pattern == WAIT) {
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        } else {
            MPI_Irecv(&in[1], 1, MPI_INT, other, TAG, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
    } else {
        if (pattern == PROBE)
            MPI_Probe(other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in, 1, MPI_INT, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void make_calls(enum pattern pattern, int is_late)
{
    const int late = patterns[pattern].late;

    switch (pattern) {
    case BARRIER: MPI_Barrier(MPI_COMM_WORLD); break;
    case ALLREDUCE: MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); break;
    case BCAST: MPI_Bcast(in, 1, MPI_INT, late, MPI_COMM_WORLD); break;
    case REDUCE: MPI_Reduce(out, in, 1, MPI_INT, MPI_SUM, 1 - late, MPI_COMM_WORLD); break;
    case FENCE: MPI_Win_fence(0, window); break;
    case ALLTOALL: MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD); break;
    case GATHER: MPI_Gather(out, 1, MPI_INT, in, 1, MPI_INT, late, MPI_COMM_WORLD); break;
    default:
        if (is_late)
            be_late(pattern);
        else
            wait_for_late(pattern);
    }
}

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Returns the nanoseconds for which this thread was ready and did not run. */
static long long delay(int schedstat)
{
    char text[64];
    long long ns;
    const ssize_t length = pread(schedstat, text, sizeof(text) - 1, 0);

    require(length > 0, "cannot read /proc/thread-self/schedstat");
    text[length] = '\0';
    require(sscanf(text, "%*s %lld", &ns) == 1, "unexpected text in /proc/thread-self/schedstat");
    return ns;
}

int main(int argc, char **argv)
{
    static long long begin[PATTERNS], end[PATTERNS], delays[PATTERNS];
    int rank, size, *memory;
    const int schedstat = open("/proc/thread-self/schedstat", O_RDONLY);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    require(size == 2, "needs 2 processes");
    other = 1 - rank;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    /* Neither process begins to compute long before the other one. */
    MPI_Sendrecv(out, 1, MPI_INT, other, TAG, in, 1, MPI_INT, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < PATTERNS; i++) {
        const int is_late = rank == patterns[i].late;
        const long long ms = SHORT_MS + (is_late ? LEAST_WAIT_MS + i * STEP_MS : 0);
        begin[i] = end[i] = now();
        while (end[i] - begin[i] < ms * 1000000) {
            delays[i] = delay(schedstat);
            end[i] = now();
        }
        make_calls((enum pattern)i, is_late);
        delays[i] = delay(schedstat) - delays[i];
    }
    MPI_Win_free(&window);
    for (int i = 0; i < PATTERNS; i++)
        printf("computed %d %s %lld %lld %lld\n", rank, patterns[i].call, begin[i], end[i], delays[i]);
    MPI_Finalize();
    return 0;
}
