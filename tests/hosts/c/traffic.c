/* A fixed sequence of messages, accesses and collective operations in each of three laps.
 *
 *     traffic                 three laps
 *     traffic deactivate      three laps; plug-in 0 is deactivated after the first
 *     traffic threads         two threads send while plug-in 0 is deactivated
 */
#include "checks.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mpit_plugin_deactivate(int plugin) __attribute__((weak));

enum { MOST = 16, ROUNDS = 100 };

static int size;

static void send_round(MPI_Comm comm, int tag)
{
    int token = rank, got = -1;
    MPI_Request request;

    MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, tag, comm, &request);
    MPI_Ssend(&token, 1, MPI_INT, (rank + 1) % size, tag, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    require(got == (rank + size - 1) % size, "a token is not that of the left neighbor");
}

static void access_memory(void)
{
    int memory[2] = {0, 0}, one = 1, got[2] = {0, 0};
    MPI_Win window;

    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&one, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Get(got, 2, MPI_INT, (rank + 1) % size, 0, 2, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    require(got[0] == 1, "what was put is not there");
}

static void operate(MPI_Comm comm)
{
    int me, all, out[MOST * MOST] = {0}, in[MOST * MOST], out_counts[MOST], in_counts[MOST], out_at[MOST], in_at[MOST];
    MPI_Request request;

    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &all);
    for (int other = 0; other < all; other++) {
        out_counts[other] = me + other;
        in_counts[other] = me + other;
        out_at[other] = in_at[other] = other * MOST;
    }
    MPI_Barrier(comm);
    MPI_Bcast(out, 3, MPI_INT, 0, comm);
    MPI_Reduce(out, in, 2, MPI_INT, MPI_SUM, all - 1, comm);
    MPI_Allreduce(MPI_IN_PLACE, out, 5, MPI_INT, MPI_SUM, comm);
    MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Alltoallv(out, out_counts, out_at, MPI_INT, in, in_counts, in_at, MPI_INT, comm);
    MPI_Gatherv(out, me + 1, MPI_INT, in, (const int[]){1, 2, 3, 4}, in_at, MPI_INT, 0, comm);
}

static void lap(MPI_Comm half)
{
    send_round(MPI_COMM_WORLD, 1);
    access_memory();
    operate(MPI_COMM_WORLD);
    operate(half);
}

static int stop;
static struct lane {
    MPI_Comm comm;
    int rounds;
} lanes[2];

static void *send_on(void *of)
{
    struct lane *lane = of;
    int more = 1;

    while (more) {
        int goes_on = !__atomic_load_n(&stop, __ATOMIC_ACQUIRE);
        send_round(lane->comm, 2);
        MPI_Allreduce(&goes_on, &more, 1, MPI_INT, MPI_MIN, lane->comm);
        __atomic_add_fetch(&lane->rounds, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* Waits until each thread has finished ROUNDS more rounds. */
static void wait_for_rounds(void)
{
    for (int lane = 0; lane < 2; lane++) {
        int before = __atomic_load_n(&lanes[lane].rounds, __ATOMIC_ACQUIRE);
        while (__atomic_load_n(&lanes[lane].rounds, __ATOMIC_ACQUIRE) < before + ROUNDS)
            sched_yield();
    }
}

static void deactivate_while_others_send(void)
{
    pthread_t threads[2];

    for (int lane = 0; lane < 2; lane++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &lanes[lane].comm);
        pthread_create(&threads[lane], NULL, send_on, &lanes[lane]);
    }
    wait_for_rounds();
    require(mpit_plugin_deactivate(0) == MPI_SUCCESS, "the plug-in is not deactivated");
    wait_for_rounds();
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (int lane = 0; lane < 2; lane++) {
        pthread_join(threads[lane], NULL);
        MPI_Comm_free(&lanes[lane].comm);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    const int threads = strcmp(how, "threads") == 0, deactivate = strcmp(how, "deactivate") == 0;
    int level;
    MPI_Comm half;

    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    require(size == 4, "needs 4 processes");
    if (threads) {
        require(level == MPI_THREAD_MULTIPLE, "the library is not for several threads");
        deactivate_while_others_send();
    } else {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        lap(half);
        if (deactivate)
            require(mpit_plugin_deactivate(0) == MPI_SUCCESS, "the plug-in is not deactivated");
        lap(half);
        lap(half);
        MPI_Comm_free(&half);
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
