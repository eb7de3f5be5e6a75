/* Ends without MPI_Finalize: `killed MODE [threads]`. Rank 2 of 4 ends in one of several ways, after all ranks have sent and
 * exchanged known data. With mode `finish`, all ranks call MPI_Finalize. With `threads`, several threads of each rank have done so at
 * once; with mode `busy`, those of rank 2 send to themselves when it is killed. */
#define _POSIX_C_SOURCE 200809L
#include "mixed.h"
#include "require.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int me, size;

/* Sends more messages to the right than the rank is, of many sizes. */
static void pass(MPI_Comm comm)
{
    MPI_Request requests[64];
    static char in[64][50000];
    int left = (me + size - 1) % size;
    for (int n = 0; n < 10 + left; n++)
        MPI_Irecv(in[n], sizeof in[n], MPI_CHAR, left, n, comm, &requests[n]);
    for (int n = 0; n < 10 + me; n++)
        MPI_Send(in[63], n * n * n * 20, MPI_CHAR, (me + 1) % size, n, comm);
    MPI_Waitall(10 + left, requests, MPI_STATUSES_IGNORE);
}

enum { THREADS = 3, EQUAL_ROUNDS = 50, BUSY_ROUNDS = 200, BUSY_TAG = 100, BUSY_BYTES = 24 };

/* Equal messages to the right and sums of all, on a communicator of the thread. */
static void *pass_equal(void *comm)
{
    int out = 0, in;
    MPI_Request request;

    for (int i = 0; i < EQUAL_ROUNDS; i++) {
        MPI_Irecv(&in, 1, MPI_INT, (me + size - 1) % size, 1, *(MPI_Comm *)comm, &request);
        MPI_Send(&out, 1, MPI_INT, (me + 1) % size, 1, *(MPI_Comm *)comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (i % 10 == 0)
            MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, *(MPI_Comm *)comm);
    }
    return NULL;
}

/* The messages of each thread of those that send without end. */
static int busy_messages[THREADS];

/* Equal messages to this process, without end. */
static void *send_until_killed(void *messages)
{
    static char out[BUSY_BYTES];
    const int tag = BUSY_TAG + (int)((int *)messages - busy_messages);
    char in[BUSY_BYTES];
    MPI_Request request;

    for (;;) {
        MPI_Irecv(in, BUSY_BYTES, MPI_CHAR, me, tag, MPI_COMM_WORLD, &request);
        MPI_Send(out, BUSY_BYTES, MPI_CHAR, me, tag, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        __atomic_fetch_add((int *)messages, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void with_threads(const char *mode)
{
    static MPI_Comm comms[THREADS];
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, pass_equal, &comms[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&comms[i]);
    if (me == 2 && strcmp(mode, "busy") == 0) {
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, send_until_killed, &busy_messages[i]);
        for (int i = 0; i < THREADS; i++)
            while (__atomic_load_n(&busy_messages[i], __ATOMIC_ACQUIRE) < BUSY_ROUNDS)
                nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        raise(SIGKILL);
    }
}

/* Child processes must not change the store of their parent. */
static void have_children(void)
{
    for (int exec = 0; exec < 2; exec++) {
        pid_t child = fork();
        if (child == 0) {
            if (exec)
                execl("/bin/true", "true", (char *)NULL);
            _exit(0);
        }
        if (child > 0)
            waitpid(child, NULL, 0);
    }
}

static void format_mark_name(char *name, size_t length, const char *mode, int rank)
{
    snprintf(name, length, "at_end.%s.%d", mode, rank);
}

/* By files, because MPI calls would be counted, or interrupted. */
static void mark_end(const char *mode)
{
    char name[64];
    format_mark_name(name, sizeof name, mode, me);
    FILE *mark = fopen(name, "w");
    if (mark)
        fclose(mark);
}

static void wait_for_others(const char *mode)
{
    for (int rank = 0; rank < size; rank++) {
        char name[64];
        format_mark_name(name, sizeof name, mode, rank);
        while (access(name, F_OK) != 0)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static void end(const char *mode)
{
    if (strcmp(mode, "kill") == 0)
        raise(SIGKILL);
    else if (strcmp(mode, "abort") == 0)
        abort();
    else if (strcmp(mode, "mpi_abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    else if (strcmp(mode, "exit") == 0)
        _exit(0);
    else
        fprintf(stderr, "killed: unknown mode %s\n", mode);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "finish";
    MPI_Comm half, named;
    const int has_threads = argc > 2;
    int level;
    MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    require(size == PROCESSES, "needs 4 processes");
    pass(MPI_COMM_WORLD);
    have_children();
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &named);
    MPI_Comm_set_name(named, "a name of its own");
    make_calls(named);
    int sum = 0;
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Comm_free(&half);
    MPI_Barrier(MPI_COMM_WORLD);
    if (has_threads)
        with_threads(mode);
    if (strcmp(mode, "finish") != 0) {
        /* Ends the other ranks if the launcher does not. */
        alarm(8);
        mark_end(mode);
        if (me == 2) {
            wait_for_others(mode);
            end(mode);
        }
        for (;;)
            pause();
    }
    MPI_Finalize();
    return 0;
}
