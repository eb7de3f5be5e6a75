/* Neighborhood operations in every form, on topologies of every kind, with their expected rows.
 *
 *     topologies DIRECTORY [cartesian]   (4 processes)
 *
 * With `cartesian`, without the other topologies, on which Open MPI's own monitoring crashes. */
#include "coll_forms.h"

enum { PROCESSES = 4, K = 3, NEIGHBORS = 6, MOST = 128 };

static int out[MOST], in[MOST];

/* A communicator, and the destinations of its neighborhood operations by their ranks in the world; -1 for none. */
struct place {
    MPI_Comm comm;
    const char *name;
    int destinations, sources;
    int to[NEIGHBORS];
};

/* Block i has i + 1 elements when it is sent. Receive buffers have the size of the largest block. */
static struct blocks sent, received;
static const MPI_Datatype types[NEIGHBORS] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT, MPI_INT, MPI_INT};

#define OPERATION(name) static int name(enum form form, const struct place *at, MPI_Request *request)

OPERATION(allgather)
{
    CALL_ALIKE(Neighbor_allgather, neighbor_allgather, (out, K, MPI_INT, in, K, MPI_INT, at->comm))
}

OPERATION(allgatherv)
{
    CALL(Neighbor_allgatherv, neighbor_allgatherv, (out, K, MPI_INT, in, received.counts, received.displs, MPI_INT, at->comm),
         (out, K, MPI_INT, in, received.large_counts, received.large_displs, MPI_INT, at->comm))
}

OPERATION(alltoall)
{
    CALL_ALIKE(Neighbor_alltoall, neighbor_alltoall, (out, K, MPI_INT, in, K, MPI_INT, at->comm))
}

OPERATION(alltoallv)
{
    CALL(Neighbor_alltoallv, neighbor_alltoallv,
         (out, sent.counts, sent.displs, MPI_INT, in, received.counts, received.displs, MPI_INT, at->comm),
         (out, sent.large_counts, sent.large_displs, MPI_INT, in, received.large_counts, received.large_displs, MPI_INT,
          at->comm))
}

OPERATION(alltoallw)
{
    CALL(Neighbor_alltoallw, neighbor_alltoallw,
         (out, sent.counts, sent.large_places, types, in, received.counts, received.large_places, types, at->comm),
         (out, sent.large_counts, sent.large_places, types, in, received.large_counts, received.large_places, types,
          at->comm))
}

static long even(int i) { return K * INT; }
static long uneven(int i) { return sent.counts[i] * INT; }

static const struct {
    const char *name;
    int (*call)(enum form, const struct place *, MPI_Request *);
    long (*bytes)(int);
} OPERATIONS[] = {
    {"allgather", allgather, even},   {"allgatherv", allgatherv, even},   {"alltoall", alltoall, even},
    {"alltoallv", alltoallv, uneven}, {"alltoallw", alltoallw, uneven},
};
enum { COUNT = sizeof OPERATIONS / sizeof *OPERATIONS };

static void all_forms(struct place *at)
{
    MPI_Comm_set_name(at->comm, at->name);
    step("create %s", at->name);
    steps_on(at->comm);
    for (int i = 0; i < COUNT; i++)
        for (enum form form = BLOCKING; form < FORMS; form++) {
            MPI_Request request = MPI_REQUEST_NULL;
            int times;
            long sum = 0;
            if (!has_form(form))
                continue;
            if (OPERATIONS[i].call(form, at, &request) != MPI_SUCCESS) {
                fprintf(stderr, "%s on %s, form %d: failed\n", OPERATIONS[i].name, at->name, form);
                MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
            }
            times = complete(form, &request);
            for (int j = 0; j < at->destinations; j++)
                if (at->to[j] >= 0 && at->to[j] != world_rank) {
                    expect("C", at->to[j], times, times * OPERATIONS[i].bytes(j));
                    sum += times * OPERATIONS[i].bytes(j);
                }
            expect_on("A2A", at->name, times, sum);
            step("%s %s on %s", OPERATIONS[i].name, FORM_NAMES[form], at->name);
        }
    steps_on(MPI_COMM_WORLD);
    MPI_Comm_free(&at->comm);
}

int main(int argc, char **argv)
{
    open_expected_rows(&argc, &argv, PROCESSES);
    lay_out_blocks(&sent, NEIGHBORS, (int[]){1, 2, 3, 4, 5, 6});
    lay_out_blocks(&received, NEIGHBORS, (int[]){6, 6, 6, 6, 6, 6});
    const int right = (world_rank + 1) % PROCESSES, left = (world_rank + PROCESSES - 1) % PROCESSES;
    const int across = (world_rank + 2) % PROCESSES;

    /* A line: the first and the last process have one neighbor. */
    struct place line = {MPI_COMM_NULL, "line", 2, 2, {world_rank - 1, world_rank == PROCESSES - 1 ? -1 : world_rank + 1}};
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){PROCESSES}, (int[]){0}, 0, &line.comm);
    all_forms(&line);

    /* Two by two: round in the first dimension, where both neighbors are the same process. */
    struct place grid = {MPI_COMM_NULL, "grid", 4, 4,
                         {across, across, world_rank % 2 ? world_rank - 1 : -1, world_rank % 2 ? -1 : world_rank + 1}};
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 2}, (int[]){1, 0}, 0, &grid.comm);
    all_forms(&grid);
    if (argc > 2) {
        return close_expected_rows();
    }

    /* A ring as a graph: every process has two neighbors. */
    struct place graph = {MPI_COMM_NULL, "graph", 2, 2, {left, right}};
    MPI_Graph_create(MPI_COMM_WORLD, PROCESSES, (int[]){2, 4, 6, 8}, (int[]){3, 1, 0, 2, 1, 3, 2, 0}, 0, &graph.comm);
    all_forms(&graph);

    /* To the right and across, from the left and from across. */
    struct place directed = {MPI_COMM_NULL, "directed", 2, 2, {right, across}};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, (int[]){left, across}, MPI_UNWEIGHTED, 2, (int[]){right, across},
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &directed.comm);
    all_forms(&directed);

    /* Process 0 defines the graph: it sends to the three others, which send to none. */
    struct place star = {MPI_COMM_NULL, "star", world_rank ? 0 : 3, world_rank != 0, {1, 2, 3}};
    MPI_Dist_graph_create(MPI_COMM_WORLD, world_rank == 0, (int[]){0}, (int[]){3}, (int[]){1, 2, 3}, MPI_UNWEIGHTED,
                          MPI_INFO_NULL, 0, &star.comm);
    all_forms(&star);

    return close_expected_rows();
}
