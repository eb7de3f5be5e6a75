/* Programs with a built-in imbalance or lateness: the arguments select some. An oracle counts and times the same calls
 * (call_oracle.h), and prints its results. With `kill` as the last argument, rank 1 is killed at the end. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "call_oracle.h"

#ifndef LIBRARY

/* A process that waits keeps its processor, so a round of more processes than processors takes as long as the scheduler lets each of them run. */
enum { SHORT = 5000, ROUNDS = 30, SHORT_ROUNDS = 100, MANY = 1000 };

static int rank, size;

static void sleep_if(int is_late)
{
    if (is_late) {
        usleep(SHORT);
    }
}

static void late_allreduce(void)
{
    double one = 1, sum[64];
    for (int round = 0; round < ROUNDS; round++) {
        sleep_if(rank == 1);
        MPI_Allreduce(&one, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

static void late_root(void)
{
    int data[100] = { 0 };
    for (int round = 0; round < ROUNDS; round++) {
        sleep_if(rank == 0);
        MPI_Bcast(data, 100, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

static void late_leaf(void)
{
    long one = 1, sum;
    for (int round = 0; round < ROUNDS; round++) {
        sleep_if(rank == size - 1);
        MPI_Reduce(&one, &sum, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    }
}

static void alternating(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        sleep_if(round % size == rank);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void late_sender(void)
{
    int data = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0) {
            sleep_if(1);
            MPI_Send(&data, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Recv(&data, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

static void late_receiver(void)
{
    int data = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0) {
            MPI_Ssend(&data, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        } else if (rank == 1) {
            sleep_if(1);
            MPI_Probe(0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&data, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

static void late_completion(void)
{
    double from = 0, to = 1;
    MPI_Request requests[2];
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Irecv(&from, 1, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
        sleep_if(round % size == rank);
        MPI_Isend(&to, 1, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
        if (round % 2 == 0) {
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        } else {
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        }
    }
}

static void communicators(void)
{
    MPI_Comm half, copy;
    double one = 1, sum;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int round = 0; round < ROUNDS; round++) {
        sleep_if(rank < 2);
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, half);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Comm_dup(half, &copy);
        MPI_Barrier(copy);
        MPI_Comm_free(&copy);
    }
    MPI_Comm_free(&half);
}

static void polling(void)
{
    char data[1000] = { 0 };
    int found, flag;
    MPI_Request request;
    for (int round = 0; round < SHORT_ROUNDS; round++) {
        MPI_Isend(data, round, MPI_CHAR, (rank + 1) % size, 3, MPI_COMM_WORLD, &request);
        do {
            MPI_Iprobe((rank + size - 1) % size, 3, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        } while (!found);
        MPI_Recv(data, 1000, MPI_CHAR, (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        do {
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        } while (!flag);
    }
}

static void nonblocking_collectives(void)
{
    double one = 1, sum;
    MPI_Request request;
    for (int round = 0; round < ROUNDS; round++) {
        sleep_if(rank == size - 1);
        MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void windows_and_files(void)
{
    static int memory[64];
    int value = rank;
    char name[64] = "timed_calls.data";
    MPI_Win window;
    MPI_File file;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Win_fence(0, window);
        MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, rank, 1, MPI_INT, window);
        sleep_if(rank == 1);
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_File_write_at(file, (rank * ROUNDS + round) * 4, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
}

/* Calls that transfer a few bytes and wait little. */
static void short_calls(void)
{
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int to = rank, from, found;
    MPI_Request requests[2];
    for (int round = 0; round < SHORT_ROUNDS; round++) {
        MPI_Irecv(&from, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[0]);
        MPI_Iprobe(left, 5, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        MPI_Send(&to, 1, MPI_INT, right, 4, MPI_COMM_WORLD);
        MPI_Isend(&to, 1, MPI_INT, rank, 6, MPI_COMM_WORLD, &requests[1]);
        MPI_Recv(&from, 1, MPI_INT, rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

/* More operations than are kept as samples. */
static void many_barriers(void)
{
    for (int round = 0; round < MANY; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void exchange(void)
{
    int to = rank, from;
    for (int round = 0; round < ROUNDS; round++) {
        sleep_if(rank == 0);
        MPI_Sendrecv(&to, 1, MPI_INT, (rank + 1) % size, 5, &from, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD,
            MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } programs[] = {
        { "late_allreduce", late_allreduce },
        { "late_root", late_root },
        { "late_leaf", late_leaf },
        { "alternating", alternating },
        { "late_sender", late_sender },
        { "late_receiver", late_receiver },
        { "late_completion", late_completion },
        { "communicators", communicators },
        { "polling", polling },
        { "nonblocking_collectives", nonblocking_collectives },
        { "windows_and_files", windows_and_files },
        { "short_calls", short_calls },
        { "many_barriers", many_barriers },
        { "exchange", exchange },
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int argument = 1; argument < argc; argument++) {
        for (size_t at = 0; at < sizeof programs / sizeof *programs; at++) {
            if (strcmp(programs[at].name, argv[argument]) == 0) {
                /* No rank waits in a program for the lateness of the one before. */
                MPI_Barrier(MPI_COMM_WORLD);
                programs[at].run();
            }
        }
    }
    oracle_print_calls(rank);
    if (argc > 1 && strcmp(argv[argc - 1], "kill") == 0) {
        /* The others have printed their lines. */
        usleep(500 * 1000);
        if (rank == 1) {
            raise(SIGKILL);
        }
        pause();
    }
    oracle_print_late(rank, size);
    MPI_Finalize();
    return 0;
}

#endif
