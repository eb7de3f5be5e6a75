/* A plug-in with one entry of each kind. */
#include <mpit_plugin.h>

static struct mpit_sum messages = MPIT_SUM_INIT;
static struct mpit_sum seconds = MPIT_SUM_INIT;
static struct mpit_level depth = MPIT_LEVEL_INIT;
static struct mpit_event_cell sent_cell = MPIT_EVENT_CELL_INIT;
static struct mpit_switch listening = MPIT_SWITCH_INIT;
static int limit = 10, phase;

/* The ranks of a communicator in the world. */
static int world_ranks(void *user_data, const struct mpit_object *object, void *out, int count)
{
    int rank;
    (void)user_data;
    for (rank = 0; rank < count; rank++)
        ((unsigned *)out)[rank] = mpit_world_rank(object, (uint32_t)rank);
    return 0;
}

static int size_of(void *user_data, const struct mpit_object *object)
{
    (void)user_data;
    return (int)object->num_ranks;
}

static void watch(void *user_data, int more)
{
    *(int *)user_data += more;
}

static struct mpit_level *level_of(void *user_data, const struct mpit_object *object)
{
    (void)user_data;
    return object->id ? &depth : 0;
}

static int get_limit(void *user_data, void *out, int count)
{
    *(int *)out = *(const int *)user_data;
    return count != 1;
}

static int put_limit(void *user_data, const void *value, int count)
{
    *(int *)user_data = *(const int *)value;
    return count != 1;
}

static const struct mpit_enum_item phases[] = {{0, "idle"}, {1, "busy"}};
static const struct mpit_enum phase_names = {sizeof(struct mpit_enum), "whole_phases", phases, 2};
static const char *const in_whole[] = {"whole", 0};
static const char *const old_names[] = {"whole_old_limit", 0};
static const char *const environment[] = {"WHOLE_LIMIT", 0};

static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), .name = "whole_messages", .description = "Messages sent.",
     .pvar_class = MPIT_CLASS_COUNTER, .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .categories = in_whole,
     .sum = &messages, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "whole_seconds", .pvar_class = MPIT_CLASS_TIMER, .datatype = MPIT_DOUBLE,
     .flags = MPIT_PVAR_ATOMIC, .count = 1, .sum = &seconds, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "whole_depth", .pvar_class = MPIT_CLASS_HIGHWATERMARK,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .bind = MPIT_BIND_COMM, .count = 1, .level_of = level_of, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "whole_ranks", .pvar_class = MPIT_CLASS_GENERIC, .datatype = MPIT_UNSIGNED,
     .bind = MPIT_BIND_COMM, .read = world_ranks, .user_data = &phase, .count_of = size_of, .watch = watch, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "whole_phase", .pvar_class = MPIT_CLASS_STATE, .datatype = MPIT_INT,
     .count = 1, .storage = &phase, .enumeration = &phase_names},
};

static const struct mpit_source sources[] = {
    {.size = sizeof(struct mpit_source), .name = "whole_clock", .order = MPIT_SOURCE_ORDERED, MPIT_HERE},
};

struct sent {
    int peer;
    double bytes;
};

static const struct mpit_element elements[] = {
    {MPIT_INT, offsetof(struct sent, peer), "peer"},
    {MPIT_DOUBLE, offsetof(struct sent, bytes), "bytes"},
};

static const struct mpit_event events[] = {
    {.size = sizeof(struct mpit_event), .name = "whole_sent", .source = "whole_clock", .elements = elements,
     .num_elements = 2, .cell = &sent_cell, MPIT_HERE},
};

static const struct mpit_category categories[] = {
    {.size = sizeof(struct mpit_category), .name = "whole_all", .description = "All of it.", .contains = in_whole, MPIT_HERE},
};

static const struct mpit_cvar cvars[] = {
    {.size = sizeof(struct mpit_cvar), .name = "whole_limit", .datatype = MPIT_INT, .scope = MPIT_SCOPE_LOCAL, .count = 1,
     .user_data = &limit, .get = get_limit, .put = put_limit, .aliases = old_names, .environment = environment, MPIT_HERE},
};

static int on_open(void *user_data, uint32_t rank, uint32_t size)
{
    (void)user_data;
    return rank >= size;
}

/* Counts and reports each message. */
static void on_sent(void *user_data, const struct mpit_message *message)
{
    struct sent sent;
    (void)user_data;
    sent.peer = (int)message->to;
    sent.bytes = (double)message->bytes;
    mpit_counter_add(&messages, 1);
    mpit_sum_add_double(&seconds, 0.5);
    mpit_level_set(&depth, message->bytes);
    mpit_level_set_double(&depth, sent.bytes);
    mpit_raise(&sent_cell, MPIT_SAFETY_NONE, message->comm, &sent);
}

static void on_done(void *user_data, const struct mpit_operation *operation)
{
    (void)user_data;
    mpit_counter_add(&messages, mpit_operation_bytes(operation, operation->rank));
}

static const struct mpit_component components[] = {
    {.size = sizeof(struct mpit_component), .framework = "pml", .name = "whole", .listening = &listening, .open = on_open,
     .sent = on_sent, MPIT_HERE},
    {.size = sizeof(struct mpit_component), .framework = "coll", .name = "whole", .done = on_done, MPIT_HERE},
};

static int activate(void)
{
    mpit_switch_on(&listening);
    return 0;
}

static void deactivate(void)
{
    mpit_switch_off(&listening);
}

MPIT_PLUGIN_WITH("whole", activate, deactivate, MPIT_LIST(pvars), MPIT_LIST(sources), MPIT_LIST(events),
                 MPIT_LIST(categories), MPIT_LIST(cvars), MPIT_LIST(components))
