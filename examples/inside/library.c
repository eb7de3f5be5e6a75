/* A small MPI library of one process, which has functions of MPI_T of its own (own.c) and variables of mpit behind these. */
#include "mpi.h"

#include <mpit_core_mpi.h>

#include "library.h"

int is_initialized, started;

static struct mpit_sum sends = MPIT_SUM_INIT, bytes = MPIT_SUM_INIT;
static struct mpit_level queued = MPIT_LEVEL_INIT;
static struct mpit_event_cell sent = MPIT_EVENT_CELL_INIT;
struct sent {
    int tag;
    unsigned bytes;
};
static unsigned limit = 1000;
static int phase;

static int count_of(void *user_data, const struct mpit_object *object)
{
    (void)user_data;
    return (int)object->num_ranks;
}

/* Returns the ranks in the world, and the number of the communicator behind them. */
static int read_ranks(void *user_data, const struct mpit_object *object, void *out, int count)
{
    (void)user_data;
    for (int rank = 0; rank < count; rank++)
        ((uint64_t *)out)[rank] = object->id * 100 + mpit_world_rank(object, (uint32_t)rank);
    return 0;
}

static const char *const category[] = {"mylib", 0};
static const struct mpit_enum_item phases[] = {{0, "idle"}, {1, "sending"}};
static const struct mpit_enum phase_enum = {sizeof phase_enum, "mylib_phase", phases, 2};
static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = "mylib_sends", .description = "Messages.", .categories = category,
     .pvar_class = MPIT_CLASS_COUNTER, .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = &sends},
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = "mylib_bytes", .description = "Their bytes.",
     .pvar_class = MPIT_CLASS_AGGREGATE, .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = &bytes,
     .flags = MPIT_PVAR_ATOMIC},
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = "mylib_queued", .description = "Length of a queue.",
     .pvar_class = MPIT_CLASS_HIGHWATERMARK, .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .level = &queued},
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = "mylib_phase", .description = "What it does.", .enumeration = &phase_enum,
     .pvar_class = MPIT_CLASS_STATE, .datatype = MPIT_INT, .count = 1, .storage = &phase},
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = "mylib_ranks", .description = "Ranks in the world.",
     .pvar_class = MPIT_CLASS_GENERIC, .datatype = MPIT_UINT64_T, .bind = MPIT_BIND_COMM, .count_of = count_of,
     .read = read_ranks, .flags = MPIT_PVAR_READONLY | MPIT_PVAR_CONTINUOUS},
};
static const struct mpit_cvar cvars[] = {
    {.size = sizeof(struct mpit_cvar), MPIT_HERE, .name = "mylib_limit", .description = "Bytes of the longest message.",
     .datatype = MPIT_UNSIGNED, .scope = MPIT_SCOPE_LOCAL, .count = 1, .storage = &limit},
    {.size = sizeof(struct mpit_cvar), MPIT_HERE, .name = "mylib_early", .description = "Cannot be set after MPI_Init.",
     .datatype = MPIT_INT, .scope = MPIT_SCOPE_ALL_EQ, .flags = MPIT_CVAR_BEFORE_INIT, .count = 1, .storage = &(int){1}},
};
static const struct mpit_source sources[] = {
    {.size = sizeof(struct mpit_source), MPIT_HERE, .name = "mylib", .description = "The library.", .order = MPIT_SOURCE_UNORDERED},
};
static const struct mpit_element elements[] = {MPIT_ELEMENT(struct sent, tag, MPIT_INT),
                                               MPIT_ELEMENT(struct sent, bytes, MPIT_UNSIGNED)};
static const struct mpit_event events[] = {
    {.size = sizeof(struct mpit_event), MPIT_HERE, .name = "mylib_sent", .description = "A message was sent.", .source = "mylib",
     .categories = category, .elements = elements, .num_elements = 2, .cell = &sent},
};
static const struct mpit_table table = {MPIT_TABLE("mylib"), MPIT_LIST(pvars), MPIT_LIST(cvars), MPIT_LIST(sources),
                                        MPIT_LIST(events)};

__attribute__((constructor)) static void start(void)
{
    mpit_core_register(&table);
}

int MPI_Init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    is_initialized = 1;
    return mpit_core_mpi_initialized(0) == MPIT_CORE_SUCCESS ? MPI_SUCCESS : MPI_T_ERR_INVALID;
}

int MPI_Finalize(void)
{
    return MPI_SUCCESS;
}

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    (void)buf, (void)datatype, (void)dest, (void)comm;
    if ((unsigned)count > limit)
        return MPI_T_ERR_INVALID;
    mpit_counter_add(&sends, 1);
    mpit_counter_add(&bytes, (uint64_t)count);
    mpit_level_set(&queued, (uint64_t)count % 7);
    mpit_raise(&sent, MPIT_SAFETY_MPI_RESTRICTED, 0, &(struct sent){tag, (unsigned)count});
    return MPI_SUCCESS;
}

int PMPI_Initialized(int *flag) { *flag = is_initialized; return MPI_SUCCESS; }
int PMPI_Finalized(int *flag) { return *flag = 0; }

/* The world has three processes; MPI_COMM_SELF has the last one. A group has the number of its communicator. */
int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    (void)comm;
    if (!is_initialized)
        abort(); /* As MPI libraries do. */
    return *flag = 0;
}
int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group) { *group = comm; return MPI_SUCCESS; }
int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group) { return PMPI_Comm_group(comm, group); }
int PMPI_Group_size(MPI_Group group, int *size) { *size = group == MPI_COMM_WORLD ? 3 : 1; return MPI_SUCCESS; }
int PMPI_Group_free(MPI_Group *group) { return *group = 0; }
int PMPI_Info_create(MPI_Info *info) { *info = 1; return MPI_SUCCESS; }
int PMPI_Group_translate_ranks(MPI_Group from, int count, const int *ranks, MPI_Group to, int *out)
{
    (void)to;
    for (int at = 0; at < count; at++)
        out[at] = from == MPI_COMM_WORLD ? ranks[at] : 2;
    return MPI_SUCCESS;
}
