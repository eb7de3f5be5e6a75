/* An MPI library of one process, which sends messages to itself, shows what it has to tools. The functions of MPI_T are those
 * of libmpit.so; this file describes variables and an event in tables, and counts. */
#include <mpi.h>
#include <mpit_plugin.h>

#include <string.h>

enum { SLOTS = 16, CAPACITY = 1024 };

static struct mpit_sum sends = MPIT_SUM_INIT;
static struct mpit_level waiting = MPIT_LEVEL_INIT;
static unsigned eager_limit = CAPACITY;

static struct mpit_event_cell dropped = MPIT_EVENT_CELL_INIT;
struct dropped {
    int tag;
    unsigned bytes;
};

/* The limit is no larger than a slot. */
static int set_limit(void *user_data, const void *value, int count)
{
    (void)user_data, (void)count;
    return *(const unsigned *)value > CAPACITY;
}

static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = "mympi_sends", .description = "Messages sent.",
     .pvar_class = MPIT_CLASS_COUNTER, .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = &sends},
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = "mympi_waiting", .description = "Messages that wait for a receive.",
     .pvar_class = MPIT_CLASS_LEVEL, .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .level = &waiting},
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = "mympi_waiting", .description = "The most that ever waited.",
     .pvar_class = MPIT_CLASS_HIGHWATERMARK, .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .level = &waiting},
};

static const struct mpit_cvar cvars[] = {
    {.size = sizeof(struct mpit_cvar), MPIT_HERE, .name = "mympi_eager_limit", .description = "Bytes of the longest message.",
     .datatype = MPIT_UNSIGNED, .scope = MPIT_SCOPE_LOCAL, .count = 1, .storage = &eager_limit, .set = set_limit},
};

static const struct mpit_source sources[] = {
    {.size = sizeof(struct mpit_source), MPIT_HERE, .name = "mympi", .description = "The library.", .order = MPIT_SOURCE_ORDERED},
};

static const struct mpit_element elements[] = {
    {MPIT_INT, offsetof(struct dropped, tag), "tag"},
    {MPIT_UNSIGNED, offsetof(struct dropped, bytes), "bytes"},
};

static const struct mpit_event events[] = {
    {.size = sizeof(struct mpit_event), MPIT_HERE, .name = "mympi_dropped", .description = "A message was too long.",
     .source = "mympi", .elements = elements, .num_elements = 2, .cell = &dropped},
};

static const struct mpit_table table = {MPIT_TABLE("mympi"), MPIT_LIST(pvars), MPIT_LIST(cvars), MPIT_LIST(sources),
                                        MPIT_LIST(events)};

static struct {
    char text[CAPACITY];
    int tag;
} queue[SLOTS];
static unsigned first, last;

static int is_initialized;

int MPI_Init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    is_initialized = 1;
    return mpit_register(&table);
}

int MPI_Finalize(void)
{
    return MPI_SUCCESS;
}

/* Messages are bytes here. */
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    (void)datatype, (void)comm;
    if ((unsigned)count > eager_limit || last - first == SLOTS || dest != 0) {
        mpit_raise(&dropped, MPIT_SAFETY_NONE, 0, &(struct dropped){tag, (unsigned)count});
        return MPI_ERR_OTHER;
    }
    memcpy(queue[last % SLOTS].text, buf, (size_t)count);
    queue[last % SLOTS].tag = tag;
    last++;
    mpit_counter_add(&sends, 1);
    mpit_level_set(&waiting, last - first);
    return MPI_SUCCESS;
}

int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    (void)datatype, (void)comm, (void)status;
    if (first == last || source != 0 || queue[first % SLOTS].tag != tag)
        return MPI_ERR_OTHER;
    memcpy(buf, queue[first % SLOTS].text, (size_t)count);
    first++;
    mpit_level_set(&waiting, last - first);
    return MPI_SUCCESS;
}

/* The functions that mpit calls when the library is monitored. It calls all but the first by the names of the profiling interface. */
int MPI_Abi_get_version(int *major, int *minor)
{
    *major = 1;
    *minor = 0;
    return MPI_SUCCESS;
}

int MPI_Initialized(int *flag)
{
    *flag = is_initialized;
    return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = 1;
    return MPI_SUCCESS;
}

int MPI_Type_size(MPI_Datatype datatype, int *size)
{
    (void)datatype;
    *size = 1;
    return MPI_SUCCESS;
}

#define PROFILED(name, parameters) int P##name parameters __attribute__((alias(#name)))

PROFILED(MPI_Init, (int *argc, char ***argv));
PROFILED(MPI_Initialized, (int *flag));
PROFILED(MPI_Comm_rank, (MPI_Comm comm, int *rank));
PROFILED(MPI_Comm_size, (MPI_Comm comm, int *size));
PROFILED(MPI_Type_size, (MPI_Datatype datatype, int *size));
