/* Calls whose records are at risk: `timed_records MODE`, with 2 processes.
 *
 *     freed     calls on communicators that are freed at once
 *     paused    calls before, in and after a pause; prints lines `call RANK NAME NS` of the time outside of the pause
 *     alive     calls, then the file `ready.RANK`, then a wait for the file `go`, at most for a minute
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 20, LATE = 2000, PAUSE = 300000 };

static int rank;

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void exchange(MPI_Comm comm)
{
    int to[4] = {0}, from[4];
    MPI_Sendrecv(to, 4, MPI_INT, 1 - rank, 1, from, 4, MPI_INT, 1 - rank, 1, comm, MPI_STATUS_IGNORE);
}

static void freed(void)
{
    MPI_Comm comm;
    int one = 1, sum;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "work");
    for (int call = 0; call < CALLS; call++) {
        if (rank == 1)
            usleep(LATE);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    }
    MPI_Comm_free(&comm);
    /* Its memory and its handle are used again. */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "talk");
    for (int call = 0; call < CALLS; call++)
        exchange(comm);
    MPI_Comm_free(&comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
}

/* Returns the time in the calls. */
static uint64_t barriers(int calls)
{
    const uint64_t begin = now();
    for (int call = 0; call < calls; call++)
        MPI_Barrier(MPI_COMM_WORLD);
    return now() - begin;
}

static void paused(void)
{
    int one = 1, sum;
    uint64_t ns = barriers(3);

    MPI_Pcontrol(0);
    if (rank == 0)
        usleep(PAUSE);
    barriers(4);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    exchange(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    ns += barriers(2);
    printf("call %d Barrier %llu\n", rank, (unsigned long long)ns);
    exchange(MPI_COMM_WORLD);
}

static void alive(void)
{
    char name[32];

    barriers(3);
    exchange(MPI_COMM_WORLD);
    snprintf(name, sizeof name, "ready.%d", rank);
    FILE *ready = fopen(name, "w");
    if (ready)
        fclose(ready);
    for (int wait = 0; wait < 6000 && access("go", F_OK) != 0; wait++)
        usleep(10000);
    barriers(1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && strcmp(argv[1], "freed") == 0)
        freed();
    else if (argc > 1 && strcmp(argv[1], "paused") == 0)
        paused();
    else if (argc > 1 && strcmp(argv[1], "alive") == 0)
        alive();
    MPI_Finalize();
    return 0;
}
