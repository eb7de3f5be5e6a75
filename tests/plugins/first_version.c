/* A plug-in whose structs end before the members that no entry needs, as if later versions of the header had added those: lists of
 * smaller structs, one behind the other. Setting `first_step_of_every` to n makes n steps. */
#include <mpit_plugin.h>

struct first_pvar {
    size_t size;
    const char *file;
    unsigned line;
    const char *name, *description;
    const char *const *categories;
    int pvar_class, datatype, verbosity, bind;
    unsigned flags;
    int count;
    struct mpit_sum *sum;
    struct mpit_level *level;
    mpit_level_function *level_of;
    const void *storage;
    mpit_read_function *read;
    mpit_count_function *count_of;
    mpit_watch_function *watch;
    void *user_data;
};

struct first_cvar {
    size_t size;
    const char *file;
    unsigned line;
    const char *name, *description;
    const char *const *categories;
    int datatype, verbosity, bind, scope;
    unsigned flags;
    int count;
    void *storage;
    mpit_set_function *set;
    mpit_get_function *get;
    mpit_put_function *put;
    mpit_get_of_function *get_of;
    mpit_put_of_function *put_of;
    mpit_freed_function *freed;
    void *user_data;
};

struct first_category {
    size_t size;
    const char *file;
    unsigned line;
    const char *name, *description, *parent;
};

struct first_table {
    size_t size;
    uint32_t version;
    const char *component;
    const struct first_pvar *pvars;
    size_t num_pvars;
    const struct first_cvar *cvars;
    size_t num_cvars;
    const struct mpit_source *sources;
    size_t num_sources;
    const struct mpit_event *events;
    size_t num_events;
    const struct first_category *categories;
    size_t num_categories;
};

static struct mpit_sum sum = MPIT_SUM_INIT;
static struct mpit_level level = MPIT_LEVEL_INIT;
static struct mpit_event_cell cells[2] = {MPIT_EVENT_CELL_INIT, MPIT_EVENT_CELL_INIT};
static int limits[2] = {3, 4};

static int set(void *user_data, const void *value, int count)
{
    int steps = *(const int *)value;
    (void)user_data, (void)count;
    for (int step = 0; step < steps; step++) {
        mpit_counter_add(&sum, 1);
        mpit_level_set(&level, (uint64_t)(steps - step));
        mpit_raise(&cells[0], MPIT_SAFETY_NONE, 0, &step);
    }
    return steps < 0;
}

static const char *const in_every[] = {"first_of_every", 0};

static const struct first_pvar pvars[] = {
    {.size = sizeof(struct first_pvar), .name = "first_count_of_every", .description = "Steps.",
     .pvar_class = MPIT_CLASS_COUNTER, .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .categories = in_every,
     .sum = &sum},
    {.size = sizeof(struct first_pvar), .name = "first_level_of_every", .description = "Steps to go.",
     .pvar_class = MPIT_CLASS_HIGHWATERMARK, .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .level = &level},
    {.size = sizeof(struct first_pvar), .name = "first_limits_of_every", .description = "Both limits.",
     .pvar_class = MPIT_CLASS_GENERIC, .datatype = MPIT_INT, .count = 2, .storage = limits},
};

static const struct first_cvar cvars[] = {
    {.size = sizeof(struct first_cvar), .name = "first_step_of_every", .description = "Makes steps.",
     .datatype = MPIT_INT, .scope = MPIT_SCOPE_LOCAL, .count = 1, .storage = &limits[0], .set = set},
    {.size = sizeof(struct first_cvar), .name = "first_wish_of_every", .description = "Makes nothing.",
     .datatype = MPIT_INT, .scope = MPIT_SCOPE_LOCAL, .count = 1, .storage = &limits[1]},
};

static const struct mpit_source sources[] = {
    {.size = sizeof(struct mpit_source), .name = "first_clock_of_every", .order = MPIT_SOURCE_ORDERED},
    {.size = sizeof(struct mpit_source), .name = "first_other_of_every", .order = MPIT_SOURCE_UNORDERED},
};

static const struct mpit_element elements[] = {{MPIT_INT, 0, "step"}};

static const struct mpit_event events[] = {
    {.size = sizeof(struct mpit_event), .name = "first_event_of_every", .source = "first_clock_of_every",
     .elements = elements, .num_elements = 1, .cell = &cells[0]},
    {.size = sizeof(struct mpit_event), .name = "first_silence_of_every", .source = "first_other_of_every",
     .elements = elements, .num_elements = 1, .cell = &cells[1]},
};

static const struct first_category categories[] = {
    {.size = sizeof(struct first_category), .name = "first_of_every", .description = "The first."},
    {.size = sizeof(struct first_category), .name = "first_inner_of_every", .parent = "first_of_every"},
};

static const struct first_table table = {
    .size = sizeof(struct first_table), .version = 1, .component = "first", MPIT_LIST(pvars), MPIT_LIST(cvars),
    MPIT_LIST(sources), MPIT_LIST(events), MPIT_LIST(categories)};

MPIT_EXPORT const struct mpit_plugin *mpit_plugin_v1(const struct mpit_host *host);
MPIT_EXPORT const struct mpit_plugin *mpit_plugin_v1(const struct mpit_host *host)
{
    static struct mpit_plugin plugin = {.magic = MPIT_MAGIC, .major = 1, .minor = 0, .size = sizeof(struct mpit_plugin),
                                        .name = "first"};
    plugin.table = (const struct mpit_table *)(const void *)&table;
    return host->magic == MPIT_MAGIC ? &plugin : 0;
}
