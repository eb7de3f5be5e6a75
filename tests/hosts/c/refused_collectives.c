/* Makes collective operations that the library refuses, after accepted ones that differ from them in one argument only. Equal
 * operations are counted before they are forwarded, which must not count the refused ones.
 *
 *     refused_collectives DIRECTORY    (2 processes) */
#define _GNU_SOURCE
#include "expected_rows.h"
#include "library_functions.h"

enum { PROCESSES = 2, COUNT = 5, ROOT = 0, ROUNDS = 6 };

static int out[COUNT], in[COUNT];

static void accepted(void)
{
    MPI_Request request;
    long bytes = COUNT * sizeof(int);

    MPI_Barrier(MPI_COMM_WORLD);
    expect_collective("A2A", "MPI_COMM_WORLD", 1, 0);
    MPI_Allreduce(out, in, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect_collective("A2A", "MPI_COMM_WORLD", 1, bytes);
    MPI_Iallreduce(out, in, COUNT, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_collective("A2A", "MPI_COMM_WORLD", 1, bytes);
    MPI_Bcast(out, COUNT, MPI_INT, ROOT, MPI_COMM_WORLD);
    if (world_rank == ROOT)
        expect_collective("O2A", "MPI_COMM_WORLD", 1, bytes);
    MPI_Reduce(out, in, COUNT, MPI_INT, MPI_MIN, ROOT, MPI_COMM_WORLD);
    if (world_rank == ROOT)
        expect_collective("A2O", "MPI_COMM_WORLD", 1, bytes);
}

static void must_fail(int code, const char *what)
{
    require(code != MPI_SUCCESS, what);
    step("%s", what);
}

static void refused(void)
{
    MPI_Request request;

    must_fail(MPI_Allreduce(out, in, COUNT, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), "no operation");
    must_fail(MPI_Iallreduce(out, in, COUNT, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD, &request), "no operation");
    must_fail(MPI_Bcast(out, COUNT, MPI_INT, PROCESSES, MPI_COMM_WORLD), "a root too high");
    must_fail(MPI_Bcast(out, COUNT, MPI_DATATYPE_NULL, ROOT, MPI_COMM_WORLD), "no type");
    must_fail(MPI_Reduce(out, in, COUNT, MPI_INT, MPI_OP_NULL, ROOT, MPI_COMM_WORLD), "no operation");
    must_fail(MPI_Reduce(out, in, COUNT, MPI_INT, MPI_MIN, -7, MPI_COMM_WORLD), "a root below 0");
}

int main(int argc, char **argv)
{
    open_expected_rows(&argc, &argv, PROCESSES);
    for (int i = 0; i < ROUNDS; i++)
        accepted();
    let_errors_return_unseen(MPI_COMM_WORLD);
    for (int i = 0; i < ROUNDS; i++) {
        refused();
        accepted();
    }
    return close_expected_rows();
}
