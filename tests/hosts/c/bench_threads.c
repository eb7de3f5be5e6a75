/* Cost of calls of several threads at once at MPI_THREAD_MULTIPLE. Each thread has a communicator of its own.
 *
 *     bench_threads THREADS CALLS
 *
 * Each thread makes blocks of CALLS messages to its own process, and of as many allreduces. Prints for each kind the nanoseconds of
 * processor time per call in the fastest block, the mean over threads, and in the block at the 99th percentile. Time in which a
 * thread does not run does not count, so that more threads than processors can be measured. Prints a line `sent` with the number
 * of messages. */
#include "bench.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 200, KINDS = 2, MOST = 64 };

static const char *const NAMES[KINDS] = {"message", "allreduce"};

struct worker {
    pthread_t thread;
    MPI_Comm comm;
    double took[KINDS][BLOCKS];
};

static pthread_barrier_t start;
static int calls;

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void message(MPI_Comm comm)
{
    char from[8] = {0}, to[8];
    MPI_Request requests[2];
    MPI_Irecv(to, sizeof to, MPI_BYTE, 0, 7, comm, &requests[0]);
    MPI_Isend(from, sizeof from, MPI_BYTE, 0, 7, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void allreduce(MPI_Comm comm)
{
    double mine = 1, sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    void (*const kinds[KINDS])(MPI_Comm) = {message, allreduce};

    pthread_barrier_wait(&start);
    for (int block = 0; block < BLOCKS; block++)
        for (int kind = 0; kind < KINDS; kind++) {
            const double begin = processor_time();
            for (int i = 0; i < calls; i++)
                kinds[kind](worker->comm);
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
    for (int i = 0; i < threads; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &workers[i].comm);
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            return EXIT_FAILURE;
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        MPI_Comm_free(&workers[i].comm);
    }
    for (int kind = 0; kind < KINDS; kind++) {
        double sum = 0;
        for (int i = 0; i < threads; i++) {
            double *took = workers[i].took[kind];
            qsort(took, BLOCKS, sizeof *took, compare);
            sum += took[0];
            for (int block = 0; block < BLOCKS; block++)
                all[i * BLOCKS + block] = took[block];
        }
        qsort(all, (size_t)(threads * BLOCKS), sizeof *all, compare);
        printf("%s %.3f\n", NAMES[kind], sum / threads);
        printf("%s-p99 %.3f\n", NAMES[kind], all[threads * BLOCKS * 99 / 100]);
    }
    printf("sent %ld\n", (long)threads * BLOCKS * calls);
    fflush(stdout);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
