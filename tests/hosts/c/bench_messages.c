/* Cost of a message and of a collective operation without work. A process sends itself messages of two sizes as fast as it
 * can, and calls allreduce on a communicator of one process.
 *
 *     bench_messages BLOCKS MESSAGES
 *
 * Sends BLOCKS times MESSAGES messages of each size and makes as many allreduces, in turns. Prints for each size its bytes
 * and the nanoseconds per message of the fastest block, because other load only ever adds time, and the same for the
 * allreduce. */
#include "bench.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const int SIZES[] = { 8, 1000 };
enum { KINDS = sizeof SIZES / sizeof *SIZES };

static char from[1000], to[1000];

/* Errors end the program: that is MPI's default. */
static double block(int messages, int bytes)
{
    const double start = now();
    for (int i = 0; i < messages; i++) {
        MPI_Request requests[2];
        MPI_Irecv(to, bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(from, bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    return (now() - start) / messages;
}

static double allreduces(int operations)
{
    const double start = now();
    for (int i = 0; i < operations; i++) {
        double mine = i, sum;
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return (now() - start) / operations;
}

int main(int argc, char **argv)
{
    const int blocks = argc == 3 ? atoi(argv[1]) : 0;
    const int messages = argc == 3 ? atoi(argv[2]) : 0;
    double best[KINDS], best_allreduce = 0;

    if (blocks <= 0 || messages <= 0) {
        fputs("usage: bench_messages BLOCKS MESSAGES\n", stderr);
        return EXIT_FAILURE;
    }
    MPI_Init(NULL, NULL);
    for (int i = 0; i < blocks; i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            const double took = block(messages, SIZES[kind]);
            if (i == 0 || took < best[kind])
                best[kind] = took;
        }
        const double took = allreduces(messages);
        if (i == 0 || took < best_allreduce)
            best_allreduce = took;
    }
    for (int kind = 0; kind < KINDS; kind++)
        printf("%d %.3f\n", SIZES[kind], best[kind]);
    printf("allreduce %.3f\n", best_allreduce);
    fflush(stdout);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
