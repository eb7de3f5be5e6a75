/* Four threads of each of two processes communicate at once: messages on a communicator of all threads, and messages, accesses
 * and collective operations, each on its own communicator and window. Then they end, and others do the same.
 *
 *     concurrent_calls DIRECTORY        (2 processes)
 */
#include "expected_rows.h"

#include <pthread.h>

enum { PROCESSES = 2, GENERATIONS = 3, THREADS = 4, ROUNDS = 50, K = 3 };

struct lane {
    MPI_Comm comm;
    MPI_Win win;
    int tag;
};

static void *work(void *argument)
{
    struct lane *lane = argument;
    const int other = 1 - world_rank;
    int out[K] = {0}, in[K];

    for (int i = 0; i < ROUNDS; i++) {
        MPI_Sendrecv(out, K, MPI_INT, other, 7, in, K, MPI_INT, other, 7, lane->comm, MPI_STATUS_IGNORE);
        MPI_Request requests[2];
        MPI_Irecv(in, 1, MPI_INT, other, lane->tag, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, 1, MPI_INT, other, lane->tag, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Put(out, K, MPI_INT, other, 0, K, MPI_INT, lane->win);
        MPI_Win_flush(other, lane->win);
        MPI_Allreduce(out, in, K, MPI_INT, MPI_SUM, lane->comm);
        MPI_Bcast(out, 1, MPI_INT, 1, lane->comm);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct lane lanes[THREADS];
    pthread_t threads[THREADS];

    initialize_with = MPI_THREAD_MULTIPLE;
    open_expected_rows(&argc, &argv, PROCESSES);
    for (int i = 0; i < THREADS; i++) {
        struct lane *lane = &lanes[i];
        char name[32];
        int *memory;
        lane->tag = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &lane->comm);
        snprintf(name, sizeof name, "lane_%d", i);
        MPI_Comm_set_name(lane->comm, name);
        MPI_Win_allocate(K * INT, (int)INT, MPI_INFO_NULL, lane->comm, &memory, &lane->win);
        MPI_Win_lock_all(0, lane->win);
        expect_on("A2A", name, GENERATIONS * ROUNDS, GENERATIONS * ROUNDS * K * INT);
        if (world_rank == 1)
            expect_on("O2A", name, GENERATIONS * ROUNDS, GENERATIONS * ROUNDS * INT);
    }
    for (int generation = 0; generation < GENERATIONS; generation++) {
        for (int i = 0; i < THREADS; i++)
            require(!pthread_create(&threads[i], NULL, work, &lanes[i]), "thread");
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }

    const int all = GENERATIONS * THREADS * ROUNDS;
    expect("E", 1 - world_rank, 2 * all, all * (K + 1) * INT);
    expect("S", 1 - world_rank, all, all * K * INT);
    expect("C", 1 - world_rank, all * (1 + world_rank), all * (K + world_rank) * INT);
    for (int i = 0; i < THREADS; i++) {
        MPI_Win_unlock_all(lanes[i].win);
        MPI_Win_free(&lanes[i].win);
        MPI_Comm_free(&lanes[i].comm);
    }
    return close_expected_rows();
}
