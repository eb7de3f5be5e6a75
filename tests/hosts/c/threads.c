/* Four threads of each of two processes send to the other process concurrently, on two communicators.
 *
 *     threads                (2 processes)
 *
 * Each thread sends MESSAGES messages of 8 bytes. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, MESSAGES = 250 };

struct lane {
    MPI_Comm comm;
    int peer, tag;
};

static void *send_all(void *argument)
{
    const struct lane *lane = argument;
    long long out = 0, in;
    for (int i = 0; i < MESSAGES; i++)
        MPI_Sendrecv(&out, 1, MPI_LONG_LONG, lane->peer, lane->tag, &in, 1, MPI_LONG_LONG, lane->peer, lane->tag,
                     lane->comm, MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank, size;
    MPI_Comm other;
    pthread_t threads[THREADS];
    struct lane lanes[THREADS];

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided != MPI_THREAD_MULTIPLE || size != 2) {
        fprintf(stderr, "threads: needs MPI_THREAD_MULTIPLE and two processes\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int i = 0; i < THREADS; i++) {
        lanes[i].comm = i / 2 ? other : MPI_COMM_WORLD;
        lanes[i].peer = 1 - rank;
        lanes[i].tag = i;
        pthread_create(&threads[i], NULL, send_all, &lanes[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPI_Comm_free(&other);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
