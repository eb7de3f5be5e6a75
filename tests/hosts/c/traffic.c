/* Calls of each kind in each of three laps.
 *
 *     traffic                 three laps
 *     traffic deactivate      three laps; plug-in 0 is deactivated after the first
 *     traffic threads         two threads send while plug-in 0 is deactivated
 */
#include "checks.h"
#include "mixed.h"
#include <pthread.h>
#include <sched.h>

int mpit_plugin_deactivate(int plugin) __attribute__((weak));

enum { ROUNDS = 20 };

static void send_round(MPI_Comm comm, int tag)
{
    int token = rank, got = -1;
    MPI_Request request;

    MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, tag, comm, &request);
    MPI_Ssend(&token, 1, MPI_INT, (rank + 1) % size, tag, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    require(got == (rank + size - 1) % size, "a token is not that of the left neighbor");
}

static void lap(void)
{
    int out[16] = {0}, in[16];
    MPI_Request request;

    make_calls(MPI_COMM_WORLD);
    MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Gatherv(out, rank + 1, MPI_INT, in, (const int[]){1, 2, 3, 4}, (const int[]){0, 4, 8, 12}, MPI_INT, 0, MPI_COMM_WORLD);
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
        /* Goes on until no rank waits for rounds. */
        MPI_Allreduce(&goes_on, &more, 1, MPI_INT, MPI_MAX, lane->comm);
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

    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    require(size == PROCESSES, "needs 4 processes");
    if (threads) {
        require(level == MPI_THREAD_MULTIPLE, "the library is not for several threads");
        deactivate_while_others_send();
    } else {
        lap();
        if (deactivate)
            require(mpit_plugin_deactivate(0) == MPI_SUCCESS, "the plug-in is not deactivated");
        lap();
        lap();
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
