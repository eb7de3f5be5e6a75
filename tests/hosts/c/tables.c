/* Tables of mpit_plugin.h with more than sums and storage, over a real MPI library: variables bound to communicators, levels of
 * communicators, values computed by functions, aliases of settings. The program registers the table.
 * Prints a line for each failure.
 *
 * 3 processes or more, with TAB_LIMIT=31, MPIT_TAB_OLD_TEXT=text and MPIT_TAB_LABEL=stated in the environment. */
#include "mpit_plugin.h"
#include "checks.h"

enum { MOST = 8 };

static struct mpit_sum sum = MPIT_SUM_INIT, seconds = MPIT_SUM_INIT;
static int watchers, limit = 10, early = 1, phase = 4, mode = 4;
static unsigned depth_limit = 10;
static char kept[8] = "none", label[8] = "none";
static unsigned long long grown = 100, shown = 5, received, sizes[3] = {10, 20, 30};
static const char greeting[16] = "hello";
static struct mpit_event_cell reported_cell = MPIT_EVENT_CELL_INIT;

/* A level for each communicator, created at its first use. */
static struct own {
    uint64_t id;
    struct mpit_level level;
} own[MOST];
static int num_own;

/* The ranks of a communicator in the world, then the number that it has. */
static int read_ranks(void *user_data, const struct mpit_object *object, void *out, int count)
{
    unsigned *values = (unsigned *)out;
    check(user_data == &watchers && object->kind == MPIT_BIND_COMM, "what the function is given");
    for (int at = 0; at < count - 1; at++)
        values[at] = mpit_world_rank(object, (uint32_t)at);
    values[count - 1] = (unsigned)object->id;
    return mpit_world_rank(object, object->num_ranks) != MPIT_OUTSIDE;
}

static int count_ranks(void *user_data, const struct mpit_object *object)
{
    return user_data == &watchers ? (int)object->num_ranks + 1 : 0;
}

static int fail(void *user_data, const struct mpit_object *object, void *out, int count)
{
    return 1;
}

static void watch(void *user_data, int more)
{
    *(int *)user_data += more;
}

static struct mpit_level *level_of(void *user_data, const struct mpit_object *object)
{
    /* One process alone has no level. */
    if (object->num_ranks < 2)
        return 0;
    for (int at = 0; at < num_own; at++) {
        if (own[at].id == object->id)
            return &own[at].level;
    }
    own[num_own].id = object->id;
    return &own[num_own++].level;
}

static int get(void *user_data, void *out, int count)
{
    if (user_data == kept)
        memcpy(out, kept, (size_t)count);
    else
        *(int *)out = *(const int *)user_data;
    return 0;
}

/* Accepts numbers below 100, and text in lower case. */
static int put(void *user_data, const void *value, int count)
{
    if (user_data == kept) {
        if (count && *(const char *)value < 'a')
            return 1;
        memset(kept, 0, sizeof kept);
        memcpy(kept, value, (size_t)count);
        return 0;
    }
    if (count != 1 || *(const int *)value >= 100)
        return 1;
    *(int *)user_data = *(const int *)value;
    return 0;
}

/* Accepts limits up to 100. */
static int set_depth_limit(void *user_data, const void *value, int count)
{
    return user_data != &depth_limit || count != 1 || *(const unsigned *)value > 100;
}

static const struct mpit_enum_item phases[] = {{4, "idle"}, {9, "busy"}};
static const struct mpit_enum phase_names = {sizeof(struct mpit_enum), "tab_phases", phases, 2};
static const char *const in_inner[] = {"tab_inner", 0};
static const char *const old_limits[] = {"tab_old_limit", 0};
static const char *const old_texts[] = {"tab_older_text", "tab_old_text", 0};
static const char *const environment[] = {"TAB_LIMIT", 0};

static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), .name = "tab_sum", .pvar_class = MPIT_CLASS_COUNTER,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .categories = in_inner, .sum = &sum, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "tab_ranks", .pvar_class = MPIT_CLASS_GENERIC, .datatype = MPIT_UNSIGNED,
     .bind = MPIT_BIND_COMM, .categories = in_inner, .read = read_ranks, .user_data = &watchers, .count_of = count_ranks,
     .watch = watch, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "tab_depth", .pvar_class = MPIT_CLASS_LEVEL,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .bind = MPIT_BIND_COMM, .count = 1, .level_of = level_of, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "tab_depth", .pvar_class = MPIT_CLASS_HIGHWATERMARK,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .bind = MPIT_BIND_COMM, .count = 1, .level_of = level_of, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "tab_depth", .pvar_class = MPIT_CLASS_LOWWATERMARK,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .bind = MPIT_BIND_COMM, .count = 1, .level_of = level_of, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "tab_seconds", .description = "Time that passed.",
     .pvar_class = MPIT_CLASS_TIMER, .datatype = MPIT_DOUBLE, .verbosity = MPIT_VERBOSITY_USER_DETAIL,
     .flags = MPIT_PVAR_ATOMIC, .count = 1, .sum = &seconds, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "tab_phase", .pvar_class = MPIT_CLASS_STATE, .datatype = MPIT_INT, .count = 1,
     .storage = &phase, .enumeration = &phase_names, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "tab_failing", .pvar_class = MPIT_CLASS_SIZE,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .read = fail, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "tab_grown", .pvar_class = MPIT_CLASS_SIZE,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .flags = MPIT_PVAR_CUMULATIVE | MPIT_PVAR_WRITABLE | MPIT_PVAR_ATOMIC, .count = 1,
     .storage = &grown, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "tab_shown", .pvar_class = MPIT_CLASS_LEVEL,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .flags = MPIT_PVAR_WRITABLE, .count = 1, .storage = &shown, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "tab_sizes", .pvar_class = MPIT_CLASS_SIZE, .datatype = MPIT_UNSIGNED_LONG,
     .flags = MPIT_PVAR_READONLY, .count = 3, .storage = sizes, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "tab_greeting", .pvar_class = MPIT_CLASS_GENERIC, .datatype = MPIT_CHAR,
     .count = sizeof greeting, .storage = greeting, MPIT_HERE},
};

static const struct mpit_source sources[] = {
    {.size = sizeof(struct mpit_source), .name = "tab_clock", .order = MPIT_SOURCE_ORDERED, MPIT_HERE},
};

static const struct mpit_element elements[] = {{MPIT_UNSIGNED_LONG_LONG, 0, "number"}};

static const struct mpit_event events[] = {
    {.size = sizeof(struct mpit_event), .name = "tab_reported", .bind = MPIT_BIND_COMM, .source = "tab_clock",
     .elements = elements, .num_elements = 1, .categories = in_inner, .cell = &reported_cell, MPIT_HERE},
};

static const struct mpit_category categories[] = {
    {.size = sizeof(struct mpit_category), .name = "tab_outer", .contains = in_inner, MPIT_HERE},
};

static const struct mpit_cvar cvars[] = {
    {.size = sizeof(struct mpit_cvar), .name = "tab_limit", .datatype = MPIT_INT, .scope = MPIT_SCOPE_LOCAL, .count = 1,
     .user_data = &limit, .get = get, .put = put, .aliases = old_limits, .environment = environment, MPIT_HERE},
    {.size = sizeof(struct mpit_cvar), .name = "tab_text", .datatype = MPIT_CHAR, .scope = MPIT_SCOPE_LOCAL,
     .count = sizeof kept, .user_data = kept, .get = get, .put = put, .aliases = old_texts, MPIT_HERE},
    {.size = sizeof(struct mpit_cvar), .name = "tab_early", .datatype = MPIT_INT, .scope = MPIT_SCOPE_LOCAL, .count = 1,
     .storage = &early, .flags = MPIT_CVAR_BEFORE_INIT, MPIT_HERE},
    {.size = sizeof(struct mpit_cvar), .name = "tab_depth_limit", .datatype = MPIT_UNSIGNED, .scope = MPIT_SCOPE_LOCAL,
     .count = 1, .categories = in_inner, .storage = &depth_limit, .set = set_depth_limit, .user_data = &depth_limit,
     MPIT_HERE},
    {.size = sizeof(struct mpit_cvar), .name = "tab_mode", .datatype = MPIT_INT, .scope = MPIT_SCOPE_ALL_EQ, .count = 1,
     .storage = &mode, .enumeration = &phase_names, MPIT_HERE},
    {.size = sizeof(struct mpit_cvar), .name = "tab_label", .datatype = MPIT_CHAR, .scope = MPIT_SCOPE_LOCAL,
     .count = sizeof label, .storage = label, MPIT_HERE},
    {.size = sizeof(struct mpit_cvar), .name = "tab_fixed", .datatype = MPIT_UNSIGNED_LONG_LONG,
     .scope = MPIT_SCOPE_READONLY, .count = 3, .storage = sizes, MPIT_HERE},
};

static void settings(void)
{
    MPI_T_cvar_handle of_limit = setting("tab_limit"), of_text = setting("tab_text");
    int value = 0, high = 100, right = 40;
    char text[8];
    check(limit == 31 && MPI_T_cvar_read(of_limit, &value) == MPI_SUCCESS && value == 31, "what the environment says");
    check(MPI_T_cvar_write(of_limit, &high) == MPI_T_ERR_INVALID && limit == 31, "a value that the function refuses");
    check(MPI_T_cvar_write(of_limit, &right) == MPI_SUCCESS && limit == 40, "a value that it takes");
    check(MPI_T_cvar_read(of_text, text) == MPI_SUCCESS && !strcmp(text, "text"), "what the environment says of an alias");
    check(MPI_T_cvar_write(of_text, "Upper") == MPI_T_ERR_INVALID, "text that the function refuses");
    check(MPI_T_cvar_write(of_text, "seventh") == MPI_SUCCESS && MPI_T_cvar_read(of_text, text) == MPI_SUCCESS &&
          !strcmp(text, "seventh"), "the longest text");
    check(MPI_T_cvar_write(of_text, "eight...") == MPI_T_ERR_INVALID && !strcmp(kept, "seventh"), "longer text");
}

/* Returns a handle of a control variable, which must have this scope and number of elements. */
static MPI_T_cvar_handle scoped_setting(const char *name, int scope, int elements)
{
    int index = -1, count = -1, got = -1;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    check(MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS, name);
    check(MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &got) == MPI_SUCCESS && got == scope,
          "scope");
    check(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS && count == elements, "number of elements");
    return handle;
}

/* Settings whose values lie in the program's memory. */
static void stored_settings(void)
{
    MPI_T_cvar_handle of_limit = scoped_setting("tab_depth_limit", MPI_T_SCOPE_LOCAL, 1);
    MPI_T_cvar_handle of_mode = scoped_setting("tab_mode", MPI_T_SCOPE_ALL_EQ, 1);
    MPI_T_cvar_handle of_label = scoped_setting("tab_label", MPI_T_SCOPE_LOCAL, sizeof label);
    MPI_T_cvar_handle fixed = scoped_setting("tab_fixed", MPI_T_SCOPE_READONLY, 3);
    unsigned long long elements[3] = {0, 0, 0};
    unsigned value = 0, high = 101, right = 40;
    int wrong = 2, busy = 9;
    char text[8];
    check(MPI_T_cvar_write(of_limit, &high) == MPI_T_ERR_INVALID && depth_limit == 10, "a value that the program refuses");
    check(MPI_T_cvar_write(of_limit, &right) == MPI_SUCCESS && depth_limit == 40, "a value that it takes");
    check(MPI_T_cvar_read(of_limit, &value) == MPI_SUCCESS && value == 40, "what was set");
    check(MPI_T_cvar_write(of_mode, &wrong) == MPI_T_ERR_INVALID && mode == 4, "no item of the enumeration");
    check(MPI_T_cvar_write(of_mode, &busy) == MPI_SUCCESS && mode == 9, "an item of the enumeration");
    check(MPI_T_cvar_read(of_label, text) == MPI_SUCCESS && !strcmp(text, "stated"), "what the environment says");
    check(MPI_T_cvar_write(of_label, "x") == MPI_SUCCESS && !memcmp(label, "x\0\0\0\0\0\0", 8),
          "shorter text leaves nothing behind");
    check(MPI_T_cvar_write(of_label, "12345678") == MPI_T_ERR_INVALID, "text without room for its NUL");
    check(MPI_T_cvar_write(fixed, elements) == MPI_T_ERR_CVAR_SET_NEVER && sizes[0] == 10, "a write to a read-only setting");
    check(MPI_T_cvar_read(fixed, elements) == MPI_SUCCESS && elements[0] == 10 && elements[1] == 20 && elements[2] == 30,
          "the elements of a setting");
}

static void early_setting(int expected)
{
    MPI_T_cvar_handle handle = setting("tab_early");
    // The value that it has is accepted always.
    int two = 2, other = 3;
    check(MPI_T_cvar_write(handle, expected == MPI_SUCCESS ? &two : &other) == expected, "a setting that holds still when MPI is up");
}

/* Returns the identifier of a communicator with these ranks. */
static uint64_t of_comm(MPI_Comm comm, int is_reversed)
{
    unsigned values[MOST + 1] = {0};
    MPI_T_pvar_handle handle = handle_on(session, "tab_ranks", MPI_T_PVAR_CLASS_GENERIC, &comm, size + 1);
    int before = watchers;
    check(MPI_T_pvar_start(session, handle) == MPI_SUCCESS && watchers == before + 1, "one that looks more");
    check(MPI_T_pvar_read(session, handle, values) == MPI_SUCCESS, "ranks");
    for (int at = 0; at < size; at++)
        check(values[at] == (unsigned)(is_reversed ? size - 1 - at : at), "the ranks of a communicator in the world");
    check(MPI_T_pvar_stop(session, handle) == MPI_SUCCESS && watchers == before, "one less");
    check(MPI_T_pvar_handle_free(session, &handle) == MPI_SUCCESS, "free");
    return values[size];
}

static void levels(MPI_Comm reversed, uint64_t world_id, uint64_t reversed_id)
{
    MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
    MPI_T_pvar_handle of_world = handle_on(session, "tab_depth", MPI_T_PVAR_CLASS_LEVEL, &world, 1);
    MPI_T_pvar_handle most = handle_on(session, "tab_depth", MPI_T_PVAR_CLASS_HIGHWATERMARK, &world, 1), refused;
    MPI_T_pvar_handle least = handle_on(session, "tab_depth", MPI_T_PVAR_CLASS_LOWWATERMARK, &world, 1);
    MPI_T_pvar_handle others = handle_on(session, "tab_depth", MPI_T_PVAR_CLASS_HIGHWATERMARK, &reversed, 1);
    unsigned long long value = 99;
    int index = pvar_named("tab_depth", MPI_T_PVAR_CLASS_HIGHWATERMARK), count;
    check(num_own == 2 && own[0].id == world_id && own[1].id == reversed_id, "a level for each communicator");
    mpit_level_set(&own[0].level, 5);
    check(MPI_T_pvar_start(session, of_world) == MPI_SUCCESS && MPI_T_pvar_start(session, most) == MPI_SUCCESS &&
          MPI_T_pvar_start(session, least) == MPI_SUCCESS && MPI_T_pvar_start(session, others) == MPI_SUCCESS, "start");
    mpit_level_set(&own[0].level, 7);
    mpit_level_set(&own[0].level, 2);
    mpit_level_set(&own[0].level, 3);
    mpit_level_set(&own[1].level, 4);
    check(MPI_T_pvar_read(session, of_world, &value) == MPI_SUCCESS && value == 3, "the level of a communicator");
    check(MPI_T_pvar_read(session, most, &value) == MPI_SUCCESS && value == 7, "its highest one");
    check(MPI_T_pvar_read(session, least, &value) == MPI_SUCCESS && value == 2, "its lowest one");
    check(MPI_T_pvar_read(session, others, &value) == MPI_SUCCESS && value == 4, "that of another communicator");
    check(MPI_T_pvar_handle_alloc(session, index, &self, &refused, &count) == MPI_T_ERR_INVALID, "one without a level");
}

static void values(void)
{
    MPI_T_pvar_handle gain = started(session, "tab_grown", MPI_T_PVAR_CLASS_SIZE, NULL, 1);
    MPI_T_pvar_handle written = started(session, "tab_shown", MPI_T_PVAR_CLASS_LEVEL, NULL, 1);
    unsigned long long value = 99, mine = 77;
    grown += 11;
    check(MPI_T_pvar_readreset(session, gain, &value) == MPI_SUCCESS && value == 11, "what was gained");
    check(MPI_T_pvar_read(session, gain, &value) == MPI_SUCCESS && value == 0, "what was gained after a reset");
    check(MPI_T_pvar_write(session, written, &mine) == MPI_SUCCESS && MPI_T_pvar_read(session, written, &value) == MPI_SUCCESS &&
          value == 77 && shown == 5, "what a tool wrote is the handle's");
    shown = 6;
    check(MPI_T_pvar_read(session, written, &value) == MPI_SUCCESS && value == 6, "until the variable moves on");
}

/* Several numbers and a text in the program's memory. */
static void arrays(void)
{
    MPI_T_pvar_handle of_sizes = started(session, "tab_sizes", MPI_T_PVAR_CLASS_SIZE, NULL, 3);
    MPI_T_pvar_handle of_greeting = started(session, "tab_greeting", MPI_T_PVAR_CLASS_GENERIC, NULL, sizeof greeting);
    unsigned long values[3] = {0, 0, 0};
    char text[sizeof greeting] = "";
    sizes[1] += 5;
    check(MPI_T_pvar_read(session, of_sizes, values) == MPI_SUCCESS && values[0] == 10 && values[1] == 25 && values[2] == 30,
          "each element of the array");
    check(MPI_T_pvar_read(session, of_greeting, text) == MPI_SUCCESS && !strcmp(text, "hello"), "the text of a variable");
}

/* A state, and a function that fails. */
static void states(void)
{
    MPI_T_pvar_handle of_phase = started(session, "tab_phase", MPI_T_PVAR_CLASS_STATE, NULL, 1);
    MPI_T_pvar_handle failing = handle_on(session, "tab_failing", MPI_T_PVAR_CLASS_SIZE, NULL, 1);
    unsigned long long value;
    int state = 0, item = -1, length = 16;
    char name[16];
    MPI_T_enum names;
    phase = 9;
    check(MPI_T_pvar_read(session, of_phase, &state) == MPI_SUCCESS && state == 9, "state");
    MPI_T_pvar_get_info(pvar_named("tab_phase", MPI_T_PVAR_CLASS_STATE), NULL, NULL, NULL, NULL, NULL, &names, NULL, NULL, NULL,
                        NULL, NULL, NULL);
    check(MPI_T_enum_get_item(names, 1, &item, name, &length) == MPI_SUCCESS && item == 9 && !strcmp(name, "busy"), "its name");
    check(MPI_T_pvar_start(session, failing) == MPI_T_ERR_INVALID, "a start that needs a function that fails");
    check(MPI_T_pvar_read(session, failing, &value) == MPI_T_ERR_INVALID, "a function that fails");
}

/* The metadata of a variable, and a sum of fractions. */
static void times(void)
{
    MPI_T_pvar_handle handle = started(session, "tab_seconds", MPI_T_PVAR_CLASS_TIMER, NULL, 1);
    int index = pvar_named("tab_seconds", MPI_T_PVAR_CLASS_TIMER), length = 32, verbosity = -1, class = -1, bind = -1;
    int readonly = -1, continuous = -1, atomic = -1;
    char text[32];
    double value = 99;
    MPI_Datatype type;
    check(MPI_T_pvar_get_info(index, NULL, NULL, &verbosity, &class, &type, NULL, text, &length, &bind, &readonly, &continuous,
                              &atomic) == MPI_SUCCESS && !strcmp(text, "Time that passed."), "description");
    check(verbosity == MPI_T_VERBOSITY_USER_DETAIL && class == MPI_T_PVAR_CLASS_TIMER && type == MPI_DOUBLE, "metadata");
    check(bind == MPI_T_BIND_NO_OBJECT && !readonly && !continuous && atomic == 1, "flags");
    for (int at = 0; at < 5; at++)
        mpit_sum_add_double(&seconds, 0.25);
    check(MPI_T_pvar_readreset(session, handle, &value) == MPI_SUCCESS && value == 1.25, "seconds");
    check(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS && value == 0, "seconds after a reset");
}

/* A sum is added to as the library grants threads. */
static void sums(void)
{
    MPI_T_pvar_handle handle = handle_on(session, "tab_sum", MPI_T_PVAR_CLASS_COUNTER, NULL, 1);
    unsigned long long value = 99;
    int level;
    MPI_Query_thread(&level);
    check(sum.concurrent && *sum.concurrent == (level == MPI_THREAD_MULTIPLE), "whether several threads may add");
    mpit_counter_add(&sum, 1);
    check(MPI_T_pvar_start(session, handle) == MPI_SUCCESS, "start");
    mpit_counter_add(&sum, 2);
    check(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS && value == 2, "sum");
    check(MPI_T_pvar_stop(session, handle) == MPI_SUCCESS, "stop");
    mpit_counter_add(&sum, 4);
    check(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS && value == 2, "nothing counted after the stop");
}

EVENT_CALLBACK(on_reported)
{
    unsigned long long number = 0;
    check(MPI_T_event_read(instance, 0, &number) == MPI_SUCCESS, "element");
    received = 10 * received + number;
}

static void notify(MPI_Comm reversed, uint64_t world_id, uint64_t reversed_id)
{
    unsigned long long numbers[4] = {1, 2, 3, 4};
    MPI_T_event_registration registration;
    mpit_raise(&reported_cell, MPIT_SAFETY_NONE, reversed_id, &numbers[0]);
    registration = listen_to(event_named("tab_reported"), &reversed, MPI_T_CB_REQUIRE_NONE, on_reported, NULL);
    mpit_raise(&reported_cell, MPIT_SAFETY_NONE, reversed_id, &numbers[1]);
    mpit_raise(&reported_cell, MPIT_SAFETY_NONE, world_id, &numbers[2]);
    mpit_raise(&reported_cell, MPIT_SAFETY_NONE, reversed_id, &numbers[3]);
    check(received == 24, "the events of one communicator");
    check(MPI_T_event_handle_free(registration, NULL, NULL) == MPI_SUCCESS && !mpit_event_has_listeners(&reported_cell), "free");
}

static void groups(void)
{
    int outer = -1, inner = -1, inside = -1, num_cvars = -1, num_pvars = -1, num_categories = -1, num_events = -1;
    check(MPI_T_category_get_index("tab_outer", &outer) == MPI_SUCCESS, "category");
    check(MPI_T_category_get_index("tab_inner", &inner) == MPI_SUCCESS, "category");
    check(MPI_T_category_get_categories(outer, 1, &inside) == MPI_SUCCESS && inside == inner, "what a category contains");
    check(MPI_T_category_get_info(inner, NULL, NULL, NULL, NULL, &num_cvars, &num_pvars, &num_categories) == MPI_SUCCESS &&
          num_cvars == 1 && num_pvars == 2 && num_categories == 0, "the numbers of a category's variables");
    check(MPI_T_category_get_num_events(inner, &num_events) == MPI_SUCCESS && num_events == 1, "the number of its events");
}

int main(int argc, char **argv)
{
    static const struct mpit_table table = {MPIT_TABLE("tab"), MPIT_LIST(pvars), MPIT_LIST(sources), MPIT_LIST(events),
                                            MPIT_LIST(categories), MPIT_LIST(cvars)};
    int provided;
    MPI_Comm reversed;
    uint64_t world_id, reversed_id;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    check(mpit_register(&table) == MPI_SUCCESS, "the table");
    settings();
    stored_settings();
    early_setting(MPI_SUCCESS);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    early_setting(MPI_T_ERR_CVAR_SET_NEVER);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    check(size >= 3 && size <= MOST && MPI_T_pvar_session_create(&session) == MPI_SUCCESS, "session");
    world_id = of_comm(MPI_COMM_WORLD, 0);
    reversed_id = of_comm(reversed, 1);
    check(world_id != reversed_id && world_id && reversed_id, "numbers of communicators");
    levels(reversed, world_id, reversed_id);
    values();
    arrays();
    states();
    times();
    sums();
    notify(reversed, world_id, reversed_id);
    groups();
    MPI_Comm_free(&reversed);
    return end_tool();
}
