/* What a message costs: a process sends itself messages of two sizes, as fast as it can.
 *
 *     bench_messages BLOCKS MESSAGES
 *
 * Sends BLOCKS times MESSAGES messages of each size, in turns. Prints a line per size, its bytes and the nanoseconds per
 * message of the best block: what else the machine does only ever adds. */
#include "bench.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const int SIZES[] = { 8, 1000 };
enum { KINDS = sizeof SIZES / sizeof *SIZES };

static char from[1000], to[1000];

/* Errors end the program: nobody has asked for anything else. */
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

int main(int argc, char **argv)
{
    const int blocks = argc == 3 ? atoi(argv[1]) : 0;
    const int messages = argc == 3 ? atoi(argv[2]) : 0;
    double best[KINDS];

    if (blocks <= 0 || messages <= 0) {
        fputs("usage: bench_messages BLOCKS MESSAGES\n", stderr);
        return EXIT_FAILURE;
    }
    MPI_Init(NULL, NULL);
    for (int i = 0; i < blocks; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            const double took = block(messages, SIZES[kind]);
            if (i == 0 || took < best[kind])
                best[kind] = took;
        }
    for (int kind = 0; kind < KINDS; kind++)
        printf("%d %.3f\n", SIZES[kind], best[kind]);
    fflush(stdout);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
