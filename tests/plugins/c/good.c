/* A valid plug-in with entries of each kind. Compiled with -DNAME="..." under several names. */

#include <mpit_plugin.h>

#ifndef NAME
#define NAME "acme"
#endif

/* The number of the present activation: 1, then 2, and so on. */
static uint64_t activations;

static struct mpit_sum work = MPIT_SUM_INIT;
static struct mpit_level depth = MPIT_LEVEL_INIT;
static struct mpit_event_cell done = MPIT_EVENT_CELL_INIT;

struct done {
    uint64_t activation;
    uint64_t round;
};

/* Reading it has the plug-in do its work: it counts, and raises its event. */
static int step(void *user_data, const struct mpit_object *object, void *out, int count)
{
    static uint64_t rounds;
    struct done payload;
    (void)user_data, (void)object, (void)count;
    payload.activation = __atomic_load_n(&activations, __ATOMIC_SEQ_CST);
    payload.round = __atomic_add_fetch(&rounds, 1, __ATOMIC_RELAXED);
    mpit_counter_add(&work, 1);
    mpit_level_set(&depth, payload.round % 8);
    mpit_raise(&done, MPIT_SAFETY_NONE, 0, &payload);
    *(uint64_t *)out = payload.round;
    return 0;
}

static const struct mpit_category categories[] = {
    {.size = sizeof(struct mpit_category), MPIT_HERE, .name = NAME, .description = "What " NAME " does."},
};
static const char *const in_category[] = {NAME, 0};

static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = NAME "_work", .description = "Steps of work.",
     .categories = in_category, .pvar_class = MPIT_CLASS_COUNTER, .datatype = MPIT_UNSIGNED_LONG_LONG, .verbosity = MPIT_VERBOSITY_USER_BASIC,
     .count = 1, .sum = &work},
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = NAME "_depth", .description = "The highest depth.",
     .categories = in_category, .pvar_class = MPIT_CLASS_HIGHWATERMARK, .datatype = MPIT_UNSIGNED_LONG_LONG,
     .verbosity = MPIT_VERBOSITY_USER_BASIC, .count = 1, .level = &depth},
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = NAME "_activation", .description = "How often it was activated.",
     .pvar_class = MPIT_CLASS_LEVEL, .datatype = MPIT_UNSIGNED_LONG_LONG, .verbosity = MPIT_VERBOSITY_USER_BASIC,
     .flags = MPIT_PVAR_READONLY | MPIT_PVAR_CONTINUOUS, .count = 1, .storage = &activations},
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = NAME "_step", .description = "Works, and says which step it was.",
     .pvar_class = MPIT_CLASS_SIZE, .datatype = MPIT_UNSIGNED_LONG_LONG, .verbosity = MPIT_VERBOSITY_USER_BASIC,
     .flags = MPIT_PVAR_READONLY | MPIT_PVAR_CONTINUOUS, .count = 1, .read = step},
};

static int limit = 3;
static const struct mpit_cvar cvars[] = {
    {.size = sizeof(struct mpit_cvar), MPIT_HERE, .name = NAME "_limit", .description = "A limit.", .datatype = MPIT_INT,
     .verbosity = MPIT_VERBOSITY_USER_BASIC, .scope = MPIT_SCOPE_LOCAL, .count = 1, .storage = &limit},
};

static const struct mpit_source sources[] = {
    {.size = sizeof(struct mpit_source), MPIT_HERE, .name = NAME "_clock", .description = "Its clock.",
     .order = MPIT_SOURCE_UNORDERED},
};

static const struct mpit_element elements[] = {
    {.datatype = MPIT_UINT64_T, .displacement = 0, .name = "activation"},
    {.datatype = MPIT_UINT64_T, .displacement = sizeof(uint64_t), .name = "round"},
};
static const struct mpit_event events[] = {
    {.size = sizeof(struct mpit_event), MPIT_HERE, .name = NAME "_done", .description = "A step is done.",
     .verbosity = MPIT_VERBOSITY_USER_BASIC, .source = NAME "_clock", .elements = elements, .num_elements = 2,
     .cell = &done},
};

static int activate(void)
{
    __atomic_add_fetch(&activations, 1, __ATOMIC_SEQ_CST);
    return 0;
}

MPIT_PLUGIN_WITH(NAME, activate, 0, MPIT_LIST(pvars), MPIT_LIST(cvars), MPIT_LIST(sources), MPIT_LIST(events),
                 MPIT_LIST(categories))
