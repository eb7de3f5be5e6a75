/* Work with little memory left.
 *
 *     short_memory KILOBYTES [REGIONS]         (1 or 2 processes)
 *
 * After MPI_Init and a few messages, the program limits its memory to the present size and so many kilobytes more, and then sends
 * messages, creates communicators, calls MPI from many places in each of so many regions, and ends. The output and the exit status must
 * not depend on a preloaded library. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mpit_region.h"

enum { BEFORE = 40, AFTER = 100, COMMS = 50 };

static int wrong;

/* The size of the process in bytes. Allocates nothing. */
static rlim_t own_size(void)
{
    char text[128] = "";
    const int file = open("/proc/self/statm", O_RDONLY);

    if (file < 0 || read(file, text, sizeof text - 1) <= 0)
        exit(2);
    close(file);
    return strtoul(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void exchange(MPI_Comm comm, int peer, int times)
{
    for (int out = 0; out < times; out++) {
        int in = -1;
        MPI_Sendrecv(&out, 1, MPI_INT, peer, 3, &in, 1, MPI_INT, peer, 3, comm, MPI_STATUS_IGNORE);
        wrong += in != out;
    }
}

#define TEN(call) call call call call call call call call call call

/* Calls MPI from 100 places in each region. What is recorded of each place and region takes nearly a kilobyte. */
static void call_in_regions(int regions)
{
    for (int at = 0; at < regions; at++) {
        char name[32];
        snprintf(name, sizeof name, "region %d", at);
        mpit_region_begin(name);
        TEN(TEN(MPI_Barrier(MPI_COMM_SELF); __asm__ volatile("");))
        mpit_region_end(name);
    }
}

int main(int argc, char **argv)
{
    int rank, size, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int peer = size - 1 - rank;
    exchange(MPI_COMM_WORLD, peer, BEFORE);
    /* The buffer of the output exists from here on. */
    printf("rank %d sends to %d\n", rank, peer);
    fflush(stdout);
    const rlim_t limit = own_size() + 1024 * strtoul(argc > 1 ? argv[1] : "0", NULL, 10);
    setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit});
    exchange(MPI_COMM_WORLD, peer, AFTER);
    for (int at = 0; at < COMMS; at++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
    }
    call_in_regions(argc > 2 ? atoi(argv[2]) : 0);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != size * (size - 1) / 2;
    MPI_Finalize();
    printf("rank %d: %d wrong\n", rank, wrong);
    return wrong > 0;
}
