/* A plug-in with a control variable for each kind of object, `bound_comm` and so on, with a value for each object. */

#include <mpit_plugin.h>

enum { KINDS = 12, MOST = 64, DEFAULT = 5, HIGHEST = 9999 };

struct kept {
    uint64_t id;
    int value;
};

/* The values of one kind of object; the first place is the default. */
struct values {
    struct kept kept[MOST];
    int count;
};

static struct values all[KINDS];
static char busy;

static void lock(void)
{
    while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE))
        ;
}

static void unlock(void)
{
    __atomic_clear(&busy, __ATOMIC_RELEASE);
}

static struct kept *find(struct values *values, uint64_t id)
{
    for (int place = 0; place < values->count; place++)
        if (values->kept[place].id == id)
            return &values->kept[place];
    return 0;
}

static int get_of(void *user_data, const struct mpit_object *object, void *out, int count)
{
    struct values *values = (struct values *)user_data;
    (void)count;
    lock();
    struct kept *kept = find(values, object->id);
    kept = kept ? kept : find(values, 0);
    *(int *)out = kept ? kept->value : DEFAULT;
    unlock();
    return 0;
}

static int put_of(void *user_data, const struct mpit_object *object, const void *value, int count)
{
    struct values *values = (struct values *)user_data;
    (void)count;
    if (*(const int *)value > HIGHEST || (object->kind == MPIT_BIND_NO_OBJECT) != (object->id == 0))
        return 1;
    lock();
    struct kept *kept = find(values, object->id);
    int full = !kept && values->count == MOST;
    if (!full) {
        kept = kept ? kept : &values->kept[values->count++];
        kept->id = object->id;
        kept->value = *(const int *)value;
    }
    unlock();
    return full;
}

static void freed(void *user_data, const struct mpit_object *object)
{
    struct values *values = (struct values *)user_data;
    lock();
    struct kept *kept = find(values, object->id);
    if (kept)
        *kept = values->kept[--values->count];
    unlock();
}

/* The number of values that are kept. */
static int count_values(void *user_data, const struct mpit_object *object, void *out, int count)
{
    uint64_t sum = 0;
    (void)user_data, (void)object, (void)count;
    lock();
    for (int kind = 0; kind < KINDS; kind++)
        sum += (uint64_t)all[kind].count;
    unlock();
    *(uint64_t *)out = sum;
    return 0;
}

#define BOUND(NAME, KIND)                                                                                              \
    {.size = sizeof(struct mpit_cvar), MPIT_HERE, .name = "bound_" NAME, .description = "A value for each object.",    \
     .datatype = MPIT_INT, .verbosity = MPIT_VERBOSITY_TUNER_BASIC, .bind = MPIT_BIND_##KIND,                          \
     .scope = MPIT_SCOPE_LOCAL, .count = 1, .get_of = get_of, .put_of = put_of, .freed = freed,                        \
     .user_data = &all[MPIT_BIND_##KIND]}

static const struct mpit_cvar cvars[] = {
    BOUND("comm", COMM),       BOUND("datatype", DATATYPE), BOUND("errhandler", ERRHANDLER), BOUND("file", FILE),
    BOUND("group", GROUP),     BOUND("op", OP),             BOUND("request", REQUEST),       BOUND("win", WIN),
    BOUND("message", MESSAGE), BOUND("info", INFO),         BOUND("session", SESSION),
};

/* A value and an event of sessions, which not every library can describe. */
static int nothing(void *user_data, const struct mpit_object *object, void *out, int count)
{
    (void)user_data, (void)object, (void)out, (void)count;
    return 0;
}

static struct mpit_event_cell ended = MPIT_EVENT_CELL_INIT;
static const struct mpit_source sources[] = {
    {.size = sizeof(struct mpit_source), MPIT_HERE, .name = "bound_clock", .description = "A clock."},
};
static const struct mpit_element number[] = {{MPIT_UINT64_T, 0, 0}};
static const struct mpit_event events[] = {
    {.size = sizeof(struct mpit_event), MPIT_HERE, .name = "bound_session_ended", .description = "A session ended.",
     .verbosity = MPIT_VERBOSITY_TUNER_BASIC, .bind = MPIT_BIND_SESSION, .source = "bound_clock", .elements = number,
     .num_elements = 1, .cell = &ended},
};

static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = "bound_session_size", .description = "A value of a session.",
     .pvar_class = MPIT_CLASS_SIZE, .datatype = MPIT_UNSIGNED_LONG_LONG, .verbosity = MPIT_VERBOSITY_TUNER_BASIC,
     .bind = MPIT_BIND_SESSION, .count = 1, .read = nothing},
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = "bound_values", .description = "Values that are kept.",
     .pvar_class = MPIT_CLASS_SIZE, .datatype = MPIT_UNSIGNED_LONG_LONG, .verbosity = MPIT_VERBOSITY_TUNER_BASIC,
     .count = 1, .read = count_values},
};

MPIT_PLUGIN("bound", MPIT_LIST(pvars), MPIT_LIST(cvars), MPIT_LIST(sources), MPIT_LIST(events))
