/* Work with little memory left.
 *
 *     short_memory KILOBYTES         (1 or 2 processes)
 *
 * After MPI_Init and a few messages, the program limits its memory to the present size and so many kilobytes more, and then sends
 * messages, creates communicators and ends. The output and the exit status must not depend on a preloaded library. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != size * (size - 1) / 2;
    MPI_Finalize();
    printf("rank %d: %d wrong\n", rank, wrong);
    return wrong > 0;
}
