/* The rows that a program expects in its monitoring files: a line per call and peer, or per call and communicator.
 *
 *     <row> <peer's rank in MPI_COMM_WORLD, or communicator's name> <messages> <bytes>
 *
 * The file is DIRECTORY/expected.<rank>; DIRECTORY is the program's first argument. */
#ifndef EXPECTED_ROWS_H
#define EXPECTED_ROWS_H

#include "steps.h"

static const long INT = sizeof(int);
static int world_rank, world_size;
static FILE *expected_rows;
/* The thread level that the program requests. */
static int initialize_with = MPI_THREAD_SINGLE;

/* Initializes MPI and opens the file; aborts if the number of processes is another one. */
static void open_expected_rows(int *argc, char ***argv, int processes)
{
    char path[4096];
    int level;

    MPI_Init_thread(argc, argv, initialize_with, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    snprintf(path, sizeof path, "%s/expected.%d", *argc > 1 ? (*argv)[1] : ".", world_rank);
    expected_rows = fopen(path, "w");
    if (!expected_rows || world_size != processes || level < initialize_with) {
        fprintf(stderr, "needs %d processes, a directory to write to, and a library for so many threads\n", processes);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    steps_begin(*argc > 1 ? (*argv)[1] : ".", world_rank);
}

/* Finalizes MPI; returns the exit status. */
static int close_expected_rows(void)
{
    steps_end();
    fclose(expected_rows);
    MPI_Finalize();
    return EXIT_SUCCESS;
}

static inline void expect(const char *row, int peer, int messages, long bytes)
{
    fprintf(expected_rows, "%s %d %d %ld\n", row, peer, messages, bytes);
}

static inline void expect_on(const char *row, const char *name, int messages, long bytes)
{
    fprintf(expected_rows, "%s %s %d %ld\n", row, name, messages, bytes);
}

/* Expects operations on all processes of the world, each of which passes so many bytes from this process to each other one. */
static inline void expect_collective(const char *row, const char *comm, int times, long bytes)
{
    for (int i = 0; i < world_size; i++)
        if (i != world_rank)
            expect("C", i, times, times * bytes);
    expect_on(row, comm, times, times * (world_size - 1) * bytes);
}

#endif
