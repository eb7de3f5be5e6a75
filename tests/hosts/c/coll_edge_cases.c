/* Edge cases of collective operations, with their expected rows: several datatypes for the same data, no data, and
 * communicators without other processes.
 *
 *     coll_edge_cases DIRECTORY (4 processes)
 */
#include "expected_rows.h"

enum { PROCESSES = 4, ROOT = 1, ALL = -1, K = 3, MOST = 64 };

static int out[MOST], in[MOST];

/* Expects the rows of an operation that passes so many bytes to each other process, from the root or from all. */
static void done(const char *name, int root, const char *row, long bytes)
{
    if (root == ALL || root == world_rank)
        expect_collective(row, "MPI_COMM_WORLD", 1, bytes);
    step("%s on MPI_COMM_WORLD", name);
}

/* Operations without data count as operations. */
static void of_nothing(void)
{
    const int none[PROCESSES] = {0};
    const MPI_Datatype types[PROCESSES] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    MPI_Request request;

#define OF_NOTHING(name, root, row, function, ...) \
    function(__VA_ARGS__, MPI_COMM_WORLD); \
    done(name " of nothing", root, row, 0)
    OF_NOTHING("bcast", ROOT, "O2A", MPI_Bcast, out, 0, MPI_INT, ROOT);
    MPI_Ibcast(out, 0, MPI_INT, ROOT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    done("ibcast of nothing", ROOT, "O2A", 0);
    OF_NOTHING("scatter", ROOT, "O2A", MPI_Scatter, out, 0, MPI_INT, in, 0, MPI_INT, ROOT);
    OF_NOTHING("gather", ROOT, "A2O", MPI_Gather, out, 0, MPI_INT, in, 0, MPI_INT, ROOT);
    OF_NOTHING("gatherv", ROOT, "A2O", MPI_Gatherv, out, 0, MPI_INT, in, none, none, MPI_INT, ROOT);
    OF_NOTHING("scatterv", ROOT, "O2A", MPI_Scatterv, out, none, none, MPI_INT, in, 0, MPI_INT, ROOT);
    OF_NOTHING("reduce", ROOT, "A2O", MPI_Reduce, out, in, 0, MPI_INT, MPI_SUM, ROOT);
    OF_NOTHING("allreduce", ALL, "A2A", MPI_Allreduce, out, in, 0, MPI_INT, MPI_SUM);
    OF_NOTHING("allgather", ALL, "A2A", MPI_Allgather, out, 0, MPI_INT, in, 0, MPI_INT);
    OF_NOTHING("allgatherv", ALL, "A2A", MPI_Allgatherv, out, 0, MPI_INT, in, none, none, MPI_INT);
    OF_NOTHING("alltoall", ALL, "A2A", MPI_Alltoall, out, 0, MPI_INT, in, 0, MPI_INT);
    OF_NOTHING("alltoallv", ALL, "A2A", MPI_Alltoallv, out, none, none, MPI_INT, in, none, none, MPI_INT);
    OF_NOTHING("alltoallw", ALL, "A2A", MPI_Alltoallw, out, none, none, types, in, none, none, types);
    OF_NOTHING("reduce_scatter", ALL, "A2A", MPI_Reduce_scatter, out, in, none, MPI_INT, MPI_SUM);
    OF_NOTHING("reduce_scatter_block", ALL, "A2A", MPI_Reduce_scatter_block, out, in, 0, MPI_INT, MPI_SUM);
}

/* Bytes are those of the data, for any datatype. */
static void other_types(void)
{
    const long bytes = K * INT;
    MPI_Datatype spread, block;

    MPI_Type_vector(K, 1, 2, MPI_INT, &spread);
    MPI_Type_contiguous(K, MPI_INT, &block);
    MPI_Type_commit(&spread);
    MPI_Type_commit(&block);
    MPI_Bcast(out, 1, spread, ROOT, MPI_COMM_WORLD);
    done("bcast of a vector", ROOT, "O2A", bytes);
    MPI_Gather(out, 1, spread, in, K, MPI_INT, ROOT, MPI_COMM_WORLD);
    done("gather of a vector", ROOT, "A2O", bytes);
    MPI_Scatter(out, 1, block, in, K, MPI_INT, ROOT, MPI_COMM_WORLD);
    done("scatter of a block", ROOT, "O2A", bytes);
    MPI_Allgather(out, 1, spread, in, 1, block, MPI_COMM_WORLD);
    done("allgather of a vector", ALL, "A2A", bytes);
    MPI_Alltoall(out, 1, block, in, K, MPI_INT, MPI_COMM_WORLD);
    done("alltoall of a block", ALL, "A2A", bytes);
    MPI_Type_free(&spread);
    MPI_Type_free(&block);
}

/* Large enough that libraries use other algorithms. */
static void of_much(void)
{
    enum { MUCH = 1 << 16 };
    static int from[PROCESSES * MUCH], into[PROCESSES * MUCH];
    MPI_Request request;

    MPI_Alltoall(from, MUCH, MPI_INT, into, MUCH, MPI_INT, MPI_COMM_WORLD);
    done("alltoall of much", ALL, "A2A", MUCH * INT);
    MPI_Ialltoall(from, MUCH, MPI_INT, into, MUCH, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    done("ialltoall of much", ALL, "A2A", MUCH * INT);
}

/* A part of the result has no elements. */
static void with_an_empty_part(void)
{
    const int counts[PROCESSES] = {K, 0, K, K};
    MPI_Request request;

    for (int form = 0; form < 2; form++) {
        long sum = 0;
        if (form == 0)
            MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        else {
            MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        for (int i = 0; i < world_size; i++)
            if (i != world_rank) {
                expect("C", i, 1, counts[i] * INT);
                sum += counts[i] * INT;
            }
        expect_on("A2A", "MPI_COMM_WORLD", 1, sum);
        step("%s with an empty part", form ? "ireduce_scatter" : "reduce_scatter");
    }
}

static void alone(void)
{
    const int count = K, displ = 0;

    /* Without other processes, operations are counted all the same. */
    steps_on(MPI_COMM_SELF);
#define ALONE(row, Name, ...) \
    MPI_##Name(__VA_ARGS__, MPI_COMM_SELF); \
    step(#Name " alone"); \
    expect_on(row, "MPI_COMM_SELF", 1, 0)
    MPI_Barrier(MPI_COMM_SELF);
    step("Barrier alone");
    expect_on("A2A", "MPI_COMM_SELF", 1, 0);
    ALONE("O2A", Bcast, out, K, MPI_INT, 0);
    ALONE("O2A", Scatter, out, K, MPI_INT, in, K, MPI_INT, 0);
    ALONE("A2O", Gather, out, K, MPI_INT, in, K, MPI_INT, 0);
    ALONE("A2O", Gatherv, out, K, MPI_INT, in, &count, &displ, MPI_INT, 0);
    ALONE("A2O", Reduce, out, in, K, MPI_INT, MPI_SUM, 0);
    ALONE("A2A", Allreduce, out, in, K, MPI_INT, MPI_SUM);
    ALONE("A2A", Allgather, out, K, MPI_INT, in, K, MPI_INT);
    ALONE("A2A", Alltoall, out, K, MPI_INT, in, K, MPI_INT);
    ALONE("A2A", Reduce_scatter_block, out, in, K, MPI_INT, MPI_SUM);
    steps_on(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    open_expected_rows(&argc, &argv, PROCESSES);
    other_types();
    of_nothing();
    with_an_empty_part();
    of_much();
    alone();
    return close_expected_rows();
}
