/* An MPI library of one process. It describes itself in static tables, registers them in MPI_Init, and increments a counter
 * and raises an event in MPI_Barrier. libmpit.so provides the functions of the tools interface. */
#include "mpit_plugin.h"

#include <mpi.h>

static struct mpit_sum barriers = MPIT_SUM_INIT;
static struct mpit_sum seconds = MPIT_SUM_INIT;
static struct mpit_event_cell entered_cell = MPIT_EVENT_CELL_INIT;
static unsigned long long sizes[3] = {10, 20, 30};
static const char greeting[16] = "hello";
static unsigned waiting;
static struct mpit_level depth = MPIT_LEVEL_INIT;
static int phase = 4;
static unsigned limit = 10;
static int mode;
static char label[8] = "none";

/* Returns twice the number that the pointer refers to. */
static int read_waiting(void *user_data, const struct mpit_object *object, void *out, int count)
{
    (void)object;
    if (count != 1)
        return 1;
    *(unsigned *)out = 2 * *(const unsigned *)user_data;
    return 0;
}

static int fail(void *user_data, const struct mpit_object *object, void *out, int count)
{
    (void)user_data, (void)object, (void)out, (void)count;
    return 1;
}

/* The identifier of a communicator for both ranks: all communicators of this library have size 2. */
static int read_comm(void *user_data, const struct mpit_object *object, void *out, int count)
{
    (void)user_data;
    ((unsigned long long *)out)[0] = ((unsigned long long *)out)[1] = object->id;
    return count != 2 || object->kind != MPIT_BIND_COMM || object->num_ranks || object->ranks;
}

static int two(void *user_data, const struct mpit_object *object)
{
    (void)user_data;
    return object->id ? 2 : 0;
}

/* Accepts limits up to 100. */
static int set_limit(void *user_data, const void *value, int count)
{
    return user_data != &limit || count != 1 || *(const unsigned *)value > 100;
}

static const struct mpit_enum_item phases[] = {{4, "idle"}, {9, "busy"}};
static const struct mpit_enum phase_names = {sizeof(struct mpit_enum), "impl_phases", phases, 2};
static const struct mpit_enum_item modes[] = {{0, "eager"}, {1, "lazy"}};
static const struct mpit_enum mode_names = {sizeof(struct mpit_enum), "impl_modes", modes, 2};

static const char *const in_barrier[] = {"impl_barrier", 0};

static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), .name = "impl_barriers", .description = "Barriers passed.",
     .pvar_class = MPIT_CLASS_COUNTER, .datatype = MPIT_UNSIGNED_LONG_LONG, .verbosity = MPIT_VERBOSITY_USER_BASIC,
     .count = 1, .categories = in_barrier, .sum = &barriers},
    {.size = sizeof(struct mpit_pvar), .name = "impl_seconds", .description = "Time in barriers.",
     .pvar_class = MPIT_CLASS_TIMER, .datatype = MPIT_DOUBLE, .verbosity = MPIT_VERBOSITY_USER_DETAIL,
     .flags = MPIT_PVAR_ATOMIC, .count = 1, .categories = in_barrier, .sum = &seconds},
    {.size = sizeof(struct mpit_pvar), .name = "impl_waiting", .description = "Twice the messages that wait.",
     .pvar_class = MPIT_CLASS_LEVEL, .datatype = MPIT_UNSIGNED, .verbosity = MPIT_VERBOSITY_MPIDEV_ALL,
     .flags = MPIT_PVAR_CONTINUOUS, .count = 1, .read = read_waiting, .user_data = &waiting},
    {.size = sizeof(struct mpit_pvar), .name = "impl_sizes", .pvar_class = MPIT_CLASS_SIZE,
     .datatype = MPIT_UNSIGNED_LONG, .flags = MPIT_PVAR_READONLY, .count = 3, .storage = sizes},
    {.size = sizeof(struct mpit_pvar), .name = "impl_greeting", .pvar_class = MPIT_CLASS_GENERIC, .datatype = MPIT_CHAR,
     .count = sizeof greeting, .storage = greeting},
    {.size = sizeof(struct mpit_pvar), .name = "impl_failing", .pvar_class = MPIT_CLASS_LEVEL, .datatype = MPIT_UNSIGNED,
     .count = 1, .read = fail},
    {.size = sizeof(struct mpit_pvar), .name = "impl_phase", .pvar_class = MPIT_CLASS_STATE, .datatype = MPIT_INT,
     .count = 1, .storage = &phase, .enumeration = &phase_names},
    {.size = sizeof(struct mpit_pvar), .name = "impl_depth", .pvar_class = MPIT_CLASS_LEVEL,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .level = &depth},
    {.size = sizeof(struct mpit_pvar), .name = "impl_depth", .pvar_class = MPIT_CLASS_HIGHWATERMARK,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .level = &depth},
    {.size = sizeof(struct mpit_pvar), .name = "impl_depth", .pvar_class = MPIT_CLASS_LOWWATERMARK,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .level = &depth},
    {.size = sizeof(struct mpit_pvar), .name = "impl_comm", .pvar_class = MPIT_CLASS_GENERIC,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .bind = MPIT_BIND_COMM, .read = read_comm, .count_of = two},
};

static const struct mpit_cvar cvars[] = {
    {.size = sizeof(struct mpit_cvar), .name = "impl_limit", .description = "A limit up to 100.",
     .datatype = MPIT_UNSIGNED, .verbosity = MPIT_VERBOSITY_TUNER_BASIC, .scope = MPIT_SCOPE_LOCAL, .count = 1,
     .categories = in_barrier, .storage = &limit, .set = set_limit, .user_data = &limit},
    {.size = sizeof(struct mpit_cvar), .name = "impl_mode", .datatype = MPIT_INT, .scope = MPIT_SCOPE_ALL_EQ, .count = 1,
     .storage = &mode, .enumeration = &mode_names},
    {.size = sizeof(struct mpit_cvar), .name = "impl_label", .datatype = MPIT_CHAR, .scope = MPIT_SCOPE_LOCAL,
     .count = sizeof label, .storage = label},
    {.size = sizeof(struct mpit_cvar), .name = "impl_fixed", .datatype = MPIT_UNSIGNED_LONG_LONG,
     .scope = MPIT_SCOPE_READONLY, .count = 3, .storage = sizes},
};

static const struct mpit_source sources[] = {
    {.size = sizeof(struct mpit_source), .name = "impl_clock", .description = "What the library does.",
     .order = MPIT_SOURCE_ORDERED},
};

struct entered {
    int depth;
    unsigned long long number;
    double share;
};

static const struct mpit_element elements[] = {
    {MPIT_INT, offsetof(struct entered, depth), "depth"},
    {MPIT_UNSIGNED_LONG_LONG, offsetof(struct entered, number), "number"},
    {MPIT_DOUBLE, offsetof(struct entered, share), "share"},
};

static const struct mpit_event events[] = {
    {.size = sizeof(struct mpit_event), .name = "impl_entered", .description = "A barrier is entered.",
     .verbosity = MPIT_VERBOSITY_TUNER_BASIC, .source = "impl_clock", .elements = elements, .num_elements = 3,
     .categories = in_barrier, .cell = &entered_cell},
};

static const struct mpit_category categories[] = {
    {.size = sizeof(struct mpit_category), .name = "impl", .description = "The library."},
    {.size = sizeof(struct mpit_category), .name = "impl_barrier", .description = "Its barriers.", .parent = "impl"},
};

static const struct mpit_table table = {MPIT_TABLE("implementor"), MPIT_LIST(pvars), MPIT_LIST(sources), MPIT_LIST(events),
                                        MPIT_LIST(categories), MPIT_LIST(cvars)};

int MPI_Init(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return mpit_register(&table);
}

int MPI_Barrier(MPI_Comm comm)
{
    static unsigned long long number;
    struct entered entered = {7, ++number, 0.5};
    (void)comm;
    mpit_raise(&entered_cell, MPIT_SAFETY_MPI_RESTRICTED, 0, &entered);
    mpit_counter_add(&barriers, 1);
    mpit_sum_add_double(&seconds, 0.25);
    sizes[1]++;
    waiting += 3;
    /* The level rises to the limit, falls to 2, and ends at a value that depends on the mode. */
    mpit_level_set(&depth, limit);
    mpit_level_set(&depth, 2);
    mpit_level_set(&depth, mode ? 6 : 5);
    phase = 9;
    return MPI_SUCCESS;
}

int MPI_Finalize(void)
{
    return MPI_SUCCESS;
}
