/* Every collective operation in every form, in place and not, on intra- and intercommunicators, with its expected rows.
 *
 *     coll DIRECTORY         (4 processes)
 */
#include "coll_forms.h"

enum { PROCESSES = 4, ROOT = 1, K = 3, MOST = 64 };

static int out[MOST], in[MOST];

/* A communicator, and its (remote) processes by their ranks in the world. */
struct on {
    MPI_Comm comm;
    const char *name;
    int rank, size, remote;
    int peers[PROCESSES];
};

/* Blocks of i + 1 elements for process i; blocks of equal size for all, as an all-to-all in place requires; and, for what a
 * process receives, blocks of its own size. */
static struct blocks uneven, even, mine;
static const MPI_Datatype types[PROCESSES] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};

static void lay_out(int rank)
{
    lay_out_blocks(&uneven, PROCESSES, (int[]){1, 2, 3, 4});
    lay_out_blocks(&even, PROCESSES, (int[]){K, K, K, K});
    lay_out_blocks(&mine, PROCESSES, (int[]){rank + 1, rank + 1, rank + 1, rank + 1});
}

#define AT_ROOT(on) ((on)->rank == ROOT)
#define AT_ROOT_IN_PLACE(buffer) (in_place && AT_ROOT(on) ? MPI_IN_PLACE : (void *)(buffer))
#define OPERATION(name) \
    static int name(enum form form, int in_place, const struct on *on, MPI_Request *request)

OPERATION(barrier)
{
    switch (form) {
    case BLOCKING: return MPI_Barrier(on->comm);
    case NONBLOCKING: return MPI_Ibarrier(on->comm, request);
#if HAVE_PERSISTENT
    case PERSISTENT: return INIT(Barrier)(on->comm, MPI_INFO_NULL, request);
#endif
    default: return MPI_ERR_OTHER;
    }
}

OPERATION(gatherv)
{
    void *from = AT_ROOT_IN_PLACE(out);
    /* Null on other ranks, where it is not significant. */
    const int *n = AT_ROOT(on) ? uneven.counts : NULL;
    const MPI_Count *large_n = AT_ROOT(on) ? uneven.large_counts : NULL;
    CALL(Gatherv, gatherv, (from, uneven.counts[on->rank], MPI_INT, in, n, uneven.displs, MPI_INT, ROOT, on->comm),
         (from, uneven.counts[on->rank], MPI_INT, in, large_n, uneven.large_displs, MPI_INT, ROOT, on->comm))
}

OPERATION(scatterv)
{
    void *to = AT_ROOT_IN_PLACE(in);
    const int *n = AT_ROOT(on) ? uneven.counts : NULL;
    const MPI_Count *large_n = AT_ROOT(on) ? uneven.large_counts : NULL;
    CALL(Scatterv, scatterv, (out, n, uneven.displs, MPI_INT, to, uneven.counts[on->rank], MPI_INT, ROOT, on->comm),
         (out, large_n, uneven.large_displs, MPI_INT, to, uneven.counts[on->rank], MPI_INT, ROOT, on->comm))
}

/* In place, send count and type are not significant: 0 and MPI_DATATYPE_NULL. */
#define FROM (in_place ? MPI_IN_PLACE : (void *)out)
#define SENT(n) (in_place ? 0 : (n))
#define OF_TYPE (in_place ? MPI_DATATYPE_NULL : MPI_INT)

/* Defines an OPERATION with one list of arguments for both kinds of counts. */
#define OPERATION_ALIKE(name, NAME, ARGUMENTS) OPERATION(name) { CALL_ALIKE(NAME, name, ARGUMENTS) }
OPERATION_ALIKE(bcast, Bcast, (out, K, MPI_INT, ROOT, on->comm))
OPERATION_ALIKE(gather, Gather, (AT_ROOT_IN_PLACE(out), K, MPI_INT, in, K, MPI_INT, ROOT, on->comm))
OPERATION_ALIKE(scatter, Scatter, (out, K, MPI_INT, AT_ROOT_IN_PLACE(in), K, MPI_INT, ROOT, on->comm))
OPERATION_ALIKE(reduce, Reduce, (AT_ROOT_IN_PLACE(out), in, K, MPI_INT, MPI_SUM, ROOT, on->comm))
OPERATION_ALIKE(allgather, Allgather, (FROM, SENT(K), OF_TYPE, in, K, MPI_INT, on->comm))
OPERATION_ALIKE(alltoall, Alltoall, (FROM, SENT(K), OF_TYPE, in, K, MPI_INT, on->comm))
OPERATION_ALIKE(allreduce, Allreduce, (FROM, in, K, MPI_INT, MPI_SUM, on->comm))
OPERATION_ALIKE(reduce_scatter_block, Reduce_scatter_block, (FROM, in, K, MPI_INT, MPI_SUM, on->comm))
OPERATION_ALIKE(scan, Scan, (FROM, in, K, MPI_INT, MPI_SUM, on->comm))
OPERATION_ALIKE(exscan, Exscan, (FROM, in, K, MPI_INT, MPI_SUM, on->comm))

OPERATION(allgatherv)
{
    CALL(Allgatherv, allgatherv,
         (FROM, SENT(uneven.counts[on->rank]), OF_TYPE, in, uneven.counts, uneven.displs, MPI_INT, on->comm),
         (FROM, SENT(uneven.counts[on->rank]), OF_TYPE, in, uneven.large_counts, uneven.large_displs, MPI_INT, on->comm))
}

OPERATION(alltoallv)
{
    if (in_place)
        CALL(Alltoallv, alltoallv,
             (MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, even.counts, even.displs, MPI_INT, on->comm),
             (MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, even.large_counts, even.large_displs, MPI_INT,
              on->comm))
    CALL(Alltoallv, alltoallv, (out, uneven.counts, uneven.displs, MPI_INT, in, mine.counts, mine.displs, MPI_INT, on->comm),
         (out, uneven.large_counts, uneven.large_displs, MPI_INT, in, mine.large_counts, mine.large_displs, MPI_INT, on->comm))
}

OPERATION(alltoallw)
{
    if (in_place)
        CALL(Alltoallw, alltoallw,
             (MPI_IN_PLACE, NULL, NULL, NULL, in, even.counts, even.places, types, on->comm),
             (MPI_IN_PLACE, NULL, NULL, NULL, in, even.large_counts, even.large_places, types, on->comm))
    CALL(Alltoallw, alltoallw, (out, uneven.counts, uneven.places, types, in, mine.counts, mine.places, types, on->comm),
         (out, uneven.large_counts, uneven.large_places, types, in, mine.large_counts, mine.large_places, types, on->comm))
}

OPERATION(reduce_scatter)
{
    CALL(Reduce_scatter, reduce_scatter, (FROM, in, uneven.counts, MPI_INT, MPI_SUM, on->comm),
         (FROM, in, uneven.large_counts, MPI_INT, MPI_SUM, on->comm))
}

/* Functions that fail in some libraries, with or without mpit. The library at run time may not be that of the build. */
static int is_broken(int (*call)(enum form, int, const struct on *, MPI_Request *), enum form form)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(version, &length);
    /* MPICH until 4.0 and its derivatives: "Invalid communicator" at the second start. */
    const int scatters_once = strstr(version, "Intel") || strstr(version, "MPICH Version:\t4.0");
    return scatters_once && call == scatter && (form == PERSISTENT || form == LARGE_PERSISTENT);
}

/* Bytes that an operation exchanges with process i. */
static long nothing(int i, const struct on *on) { return 0; }
static long equal(int i, const struct on *on) { return K * INT; }
static long own(int i, const struct on *on) { return uneven.counts[on->rank] * INT; }
static long theirs(int i, const struct on *on) { return uneven.counts[i] * INT; }

enum whom { BY_ROOT, TO_ROOT, ALL, ABOVE };
static const char *const ROWS[] = {"O2A", "A2O", "A2A", "A2A"};

static const struct operation {
    const char *name;
    int (*call)(enum form, int, const struct on *, MPI_Request *);
    enum whom whom;
    long (*bytes)(int, const struct on *);
    /* The same in place; NULL if it does not exist in place. */
    long (*in_place)(int, const struct on *);
} OPERATIONS[] = {
    {"barrier", barrier, ALL, nothing, NULL},
    {"bcast", bcast, BY_ROOT, equal, NULL},
    {"gather", gather, TO_ROOT, equal, equal},
    {"gatherv", gatherv, TO_ROOT, theirs, theirs},
    {"scatter", scatter, BY_ROOT, equal, equal},
    {"scatterv", scatterv, BY_ROOT, theirs, theirs},
    {"allgather", allgather, ALL, equal, equal},
    {"allgatherv", allgatherv, ALL, own, own},
    {"alltoall", alltoall, ALL, equal, equal},
    {"alltoallv", alltoallv, ALL, theirs, equal},
    {"alltoallw", alltoallw, ALL, theirs, equal},
    {"reduce", reduce, TO_ROOT, equal, equal},
    {"allreduce", allreduce, ALL, equal, equal},
    {"reduce_scatter", reduce_scatter, ALL, theirs, theirs},
    {"reduce_scatter_block", reduce_scatter_block, ALL, equal, equal},
    {"scan", scan, ABOVE, equal, equal},
    {"exscan", exscan, ABOVE, equal, equal},
};
enum { COUNT = sizeof OPERATIONS / sizeof *OPERATIONS };

static void expect_operation(const struct operation *operation, int in_place, int times, const struct on *on)
{
    long (*const bytes)(int, const struct on *) = in_place ? operation->in_place : operation->bytes;
    long sum = 0;

    if ((operation->whom == BY_ROOT || operation->whom == TO_ROOT) && on->rank != ROOT)
        return;
    for (int i = operation->whom == ABOVE ? on->rank + 1 : 0; i < on->size; i++)
        if (i != on->rank) {
            expect("C", on->peers[i], times, times * bytes(i, on));
            sum += times * bytes(i, on);
        }
    expect_on(ROWS[operation->whom], on->name, times, sum);
}

static void all_forms(const struct on *on)
{
    for (int i = 0; i < COUNT; i++)
        for (int in_place = 0; in_place <= (OPERATIONS[i].in_place != NULL); in_place++)
            for (enum form form = BLOCKING; form < FORMS; form++) {
                MPI_Request request = MPI_REQUEST_NULL;
                if (!has_form(form) || (OPERATIONS[i].call == barrier && form >= LARGE) ||
                    is_broken(OPERATIONS[i].call, form))
                    continue;
                if (OPERATIONS[i].call(form, in_place, on, &request) != MPI_SUCCESS) {
                    fprintf(stderr, "%s, form %d, in place %d: failed\n", OPERATIONS[i].name, form, in_place);
                    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
                }
                expect_operation(&OPERATIONS[i], in_place, complete(form, &request), on);
                step("%s %s%s on %s", OPERATIONS[i].name, FORM_NAMES[form], in_place ? " in place" : "", on->name);
            }
}

/* Over a library without large uneven.counts, the arrays are converted: blocks must arrive at their uneven.places. */
static void check_blocks(void)
{
    for (enum form form = BLOCKING; form <= LARGE; form += LARGE) {
        const struct on world = {MPI_COMM_WORLD, "MPI_COMM_WORLD", world_rank, world_size, 0, {0, 1, 2, 3}};
        if (!has_form(form))
            continue;
        for (int i = 0; i < uneven.total; i++)
            out[i] = 100 * world_rank + i;
        for (int i = 0; i < MOST; i++)
            in[i] = -1;
        alltoallv(form, 0, &world, NULL);
        expect_operation(&OPERATIONS[9], 0, 1, &world);
        step("alltoallv %s on %s", FORM_NAMES[form], world.name);
        for (int i = 0; i < PROCESSES; i++)
            for (int j = 0; j <= world_rank; j++)
                require(in[mine.displs[i] + j] == 100 * i + uneven.displs[world_rank] + j, "alltoallv");
        require(in[PROCESSES * (world_rank + 1)] == -1, "alltoallv, behind the last block");
    }
}

/* Between two halves of the world. The root passes MPI_ROOT, the others of its group pass MPI_PROC_NULL. */
static void between_groups(void)
{
    const int group = world_rank % 2, remote_leader = 1 - group;
    const struct { int rank, size; } mine_of = {world_rank / 2, PROCESSES / 2};
    const char *name = "between";
    MPI_Comm half, inter;
    MPI_Request request;
    const long bytes = K * INT;
    const int peers[] = {remote_leader, remote_leader + 2};

    MPI_Comm_split(MPI_COMM_WORLD, group, world_rank, &half);
    MPI_Comm_set_name(half, "half");
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, remote_leader, 7, &inter);
    MPI_Comm_set_name(inter, name);
    step("create intercommunicator");
    steps_on(inter);

    /* The root is rank 1 of the group of even ranks: process 2 of the world. */
    const int at_root = world_rank == 2;
    const int root = group == 1 ? 1 : at_root ? MPI_ROOT : MPI_PROC_NULL;
    for (int form = BLOCKING; form <= NONBLOCKING; form++) {
#define BOTH(Upper, lower, ...) \
    if (form == BLOCKING) { \
        MPI_##Upper(__VA_ARGS__); \
    } else { \
        MPI_I##lower(__VA_ARGS__, &request); \
        MPI_Wait(&request, MPI_STATUS_IGNORE); \
    } \
    step("%s %s on %s", #lower, FORM_NAMES[form], name);
        BOTH(Bcast, bcast, out, K, MPI_INT, root, inter)
        BOTH(Scatter, scatter, out, K, MPI_INT, in, K, MPI_INT, root, inter)
        BOTH(Gather, gather, out, K, MPI_INT, in, K, MPI_INT, root, inter)
        BOTH(Reduce, reduce, out, in, K, MPI_INT, MPI_SUM, root, inter)
        BOTH(Allreduce, allreduce, out, in, K, MPI_INT, MPI_SUM, inter)
        BOTH(Allgather, allgather, out, K, MPI_INT, in, K, MPI_INT, inter)
        BOTH(Alltoall, alltoall, out, K, MPI_INT, in, K, MPI_INT, inter)
        BOTH(Barrier, barrier, inter)
        for (int i = 0; i < mine_of.size; i++) {
            if (at_root)
                expect("C", peers[i], 4, 4 * bytes);
            expect("C", peers[i], 4, 3 * bytes);
        }
        if (at_root) {
            expect_on("O2A", name, 2, 2 * mine_of.size * bytes);
            expect_on("A2O", name, 2, 2 * mine_of.size * bytes);
        }
        expect_on("A2A", name, 4, 3 * mine_of.size * bytes);
    }
    steps_on(MPI_COMM_WORLD);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    open_expected_rows(&argc, &argv, PROCESSES);

    struct on world = {MPI_COMM_WORLD, "MPI_COMM_WORLD", world_rank, world_size, 0, {0, 1, 2, 3}};
    lay_out(world.rank);
    all_forms(&world);
    check_blocks();

    /* The same in reverse order. */
    struct on backwards = {MPI_COMM_NULL, "backwards", PROCESSES - 1 - world_rank, world_size, 0, {3, 2, 1, 0}};
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &backwards.comm);
    MPI_Comm_set_name(backwards.comm, backwards.name);
    step("create backwards");
    steps_on(backwards.comm);
    lay_out(backwards.rank);
    all_forms(&backwards);
    steps_on(MPI_COMM_WORLD);
    MPI_Comm_free(&backwards.comm);
    step("free");

    between_groups();
    return close_expected_rows();
}
