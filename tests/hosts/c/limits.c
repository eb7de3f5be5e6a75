/* Limits the size of files, and ends normally.
 *
 *     limits BYTES ENOUGH [RANK]     at most BYTES while it runs, ENOUGH in MPI_Finalize, on all ranks or one
 *
 * The records of its messages and communicators need more than 64 kB of a store. */
#define _XOPEN_SOURCE 700
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { COMMUNICATORS = 400 };

static void limit(const char *bytes)
{
    const rlim_t most = (rlim_t)atol(bytes);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = most, .rlim_max = RLIM_INFINITY});
}

int main(int argc, char **argv)
{
    static MPI_Comm comms[COMMUNICATORS];
    int rank, size, block = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int limited = argc == 3 || atoi(argv[3]) == rank;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &block, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < COMMUNICATORS; i++)
        MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
    if (limited)
        limit(argv[1]);
    for (int i = 0; i < COMMUNICATORS; i++) {
        char name[64];
        snprintf(name, sizeof name, "a communicator with a name of so many letters %d", i);
        MPI_Comm_set_name(comms[i], name);
        MPI_Bcast(&block, 1, MPI_INT, 0, comms[i]);
        MPI_Barrier(comms[i]);
    }
    if (limited)
        limit(argv[2]);
    MPI_Finalize();
    printf("ended\n");
    return 0;
}
