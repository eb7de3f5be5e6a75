/* Cost of calls of several threads at once at MPI_THREAD_MULTIPLE.
 *
 *     bench_threads THREADS CALLS
 *
 * Each thread makes blocks of CALLS messages to its own process, on a communicator of its own and on one of all threads, and of as
 * many allreduces on its own. Prints for each kind the nanoseconds of processor time per call in the fastest block, the mean over
 * threads, and in the block at the 99th percentile. Time in which a thread does not run does not count, so that more threads than
 * processors can be measured. Prints a line `sent` with the number of messages. */
#include "bench.h"
#include "bench_calls.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 200, KIND_COUNT = 3, MOST = 64 };

struct worker {
    pthread_t thread;
    MPI_Comm comm;
    int number;
    double took[KIND_COUNT][BLOCKS];
};

static pthread_barrier_t start;
static MPI_Comm shared;
static int calls;

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void message(struct worker *worker, MPI_Comm comm)
{
    char from[8] = {0}, to[8];
    message_to_itself(to, from, sizeof from, MPI_BYTE, worker->number, comm);
}

static void own_message(struct worker *worker)
{
    message(worker, worker->comm);
}

static void shared_message(struct worker *worker)
{
    message(worker, shared);
}

static void allreduce(struct worker *worker)
{
    allreduce_of_one(worker->comm);
}

static const struct {
    const char *name;
    void (*call)(struct worker *);
    int sends;
} KINDS[] = {{"message", own_message, 1}, {"shared", shared_message, 1}, {"allreduce", allreduce, 0}};

static void *work(void *argument)
{
    struct worker *worker = argument;

    pthread_barrier_wait(&start);
    for (int block = 0; block < BLOCKS; block++)
        for (int kind = 0; kind < KIND_COUNT; kind++) {
            const double begin = processor_time();
            for (int i = 0; i < calls; i++)
                KINDS[kind].call(worker);
            worker->took[kind][block] = (processor_time() - begin) / calls;
        }
    return NULL;
}

static int compare(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    static struct worker workers[MOST];
    static double all[MOST * BLOCKS];
    const int threads = argc == 3 ? atoi(argv[1]) : 0;
    long sent = 0;
    int provided;

    calls = argc == 3 ? atoi(argv[2]) : 0;
    if (threads <= 0 || threads > MOST || calls <= 0) {
        fputs("usage: bench_threads THREADS CALLS\n", stderr);
        return EXIT_FAILURE;
    }
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) {
        fputs("the library is not for several threads\n", stderr);
        return EXIT_FAILURE;
    }
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    MPI_Comm_dup(MPI_COMM_SELF, &shared);
    for (int i = 0; i < threads; i++) {
        workers[i].number = i;
        MPI_Comm_dup(MPI_COMM_SELF, &workers[i].comm);
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            return EXIT_FAILURE;
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        MPI_Comm_free(&workers[i].comm);
    }
    MPI_Comm_free(&shared);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        double sum = 0;
        for (int i = 0; i < threads; i++) {
            double *took = workers[i].took[kind];
            qsort(took, BLOCKS, sizeof *took, compare);
            sum += took[0];
            for (int block = 0; block < BLOCKS; block++)
                all[i * BLOCKS + block] = took[block];
        }
        qsort(all, (size_t)(threads * BLOCKS), sizeof *all, compare);
        printf("%s %.3f\n", KINDS[kind].name, sum / threads);
        printf("%s-p99 %.3f\n", KINDS[kind].name, all[threads * BLOCKS * 99 / 100]);
        sent += KINDS[kind].sends * (long)threads * BLOCKS * calls;
    }
    printf("sent %ld\n", sent);
    fflush(stdout);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
