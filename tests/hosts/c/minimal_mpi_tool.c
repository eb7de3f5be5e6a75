/* A tool over the MPI library in minimal_mpi.c, with the preload library in between: the library's events are listed after
 * those of the preload library, and delivered like them. Prints a line for each failure.
 *
 * It registers an event type with the preload library, so that the library's event types have other indices there. */
#include "checks.h"
#include "minimal_mpi.h"
#include "mpit_plugin.h"
#include <pthread.h>

enum { STEP_ELEMENTS = 3, MANY = 20000 };

static const MPI_T_cb_safety levels[4] = {MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                          MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE};
static int step, bound, clock_index;

static struct mpit_event_cell own_cell = MPIT_EVENT_CELL_INIT;
static const struct mpit_source sources[] = {
    {.size = sizeof(struct mpit_source), .name = "tool_clock", .order = MPIT_SOURCE_ORDERED},
};
static const struct mpit_element own_elements[] = {{MPIT_INT, 0, 0}};
static const struct mpit_event events[] = {
    {.size = sizeof(struct mpit_event), .name = "tool_event", .source = "tool_clock", .elements = own_elements,
     .num_elements = 1, .cell = &own_cell},
};
static const struct mpit_table own_table = {MPIT_TABLE("tool"), MPIT_LIST(sources), MPIT_LIST(events)};

/* Proves F25, F26, F27: the source of a name. */
static int source_named(const char *wanted)
{
    int count = 0;
    MPI_T_source_get_num(&count);
    for (int at = 0; at < count; at++) {
        char name[64];
        int length = sizeof name;
        if (!MPI_T_source_get_info(at, name, &length, NULL, NULL, NULL, NULL, NULL, NULL) && !strcmp(name, wanted))
            return at;
    }
    return -1;
}

static void leave(MPI_T_event_registration registration)
{
    check(MPI_T_event_handle_free(registration, NULL, NULL) == MPI_SUCCESS, "R257 free");
}

/* Proves R16: all names, before and after the library grew. */
static int remember_names(char names[64][64])
{
    int count = 0;
    MPI_T_event_get_num(&count);
    for (int at = 0; at < count && at < 64; at++) {
        int length = 64;
        MPI_T_event_get_info(at, names[at], &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    }
    return count;
}

static void compare_names(char before[64][64], int count)
{
    char now[64][64];
    check(remember_names(now) >= count, "R16 event types never go away");
    for (int at = 0; at < count; at++)
        check(!strcmp(before[at], now[at]), "R16 indices never move");
    for (int at = 0; at < count; at++)
        for (int other = 0; other < at; other++)
            check(strcmp(now[at], now[other]) != 0, "R229 names are unique");
}

static void describe(void)
{
    int elements = STEP_ELEMENTS + 1, verbosity = -1, bind = -1, length = 64, desc_length = 64, count = -1;
    MPI_T_source_order order = MPI_T_SOURCE_UNORDERED;
    char name[64], desc[64];
    MPI_Datatype types[STEP_ELEMENTS + 1];
    MPI_Aint places[STEP_ELEMENTS + 1];
    MPI_T_enum names = MPI_T_ENUM_NULL;
    MPI_Info info = MPI_INFO_NULL, other = MPI_INFO_NULL;
    MPI_Count ticks = 0, most = 0, time = -1, later = -1;
    places[STEP_ELEMENTS] = 77;
    check(MPI_T_event_get_info(step, name, &length, &verbosity, types, places, &elements, &names, &info, desc,
                               &desc_length, &bind) == MPI_SUCCESS, "R232 what it says of itself");
    check(!strcmp(name, "minimal_step") && !strcmp(desc, "A step is made.") && length == sizeof "minimal_step", "R37 texts");
    check(elements == STEP_ELEMENTS && bind == MPI_T_BIND_NO_OBJECT && verbosity == MPI_T_VERBOSITY_TUNER_BASIC,
          "R235 elements, R244 bind");
    check(types[0] == MPI_INT && types[1] == MPI_UNSIGNED_LONG_LONG && types[2] == MPI_DOUBLE, "R61 datatypes");
    check(places[0] == 0 && places[1] == 8 && places[2] == 16 && places[3] == 77, "R235, R239 displacements");
    length = sizeof name;
    check(MPI_T_enum_get_item(names, 1, &count, name, &length) == MPI_SUCCESS && count == 1 && !strcmp(name, "total"),
          "R242 the names of the elements");
    check(info != MPI_INFO_NULL && MPI_Info_free(&info) == MPI_SUCCESS, "R243 a fresh info object");
    elements = 1;
    places[1] = 78;
    check(MPI_T_event_get_info(step, NULL, NULL, NULL, types, places, &elements, NULL, NULL, NULL, NULL, NULL) ==
          MPI_SUCCESS && elements == STEP_ELEMENTS && places[1] == 78, "R234 as many as fit");
    check(MPI_T_event_get_info(bound, NULL, NULL, NULL, NULL, NULL, NULL, &names, NULL, NULL, NULL, &bind) ==
          MPI_SUCCESS && bind == MPI_T_BIND_MPI_DATATYPE && names == MPI_T_ENUM_NULL, "R241, R244 the bound one");

    clock_index = source_named("minimal_clock");
    length = desc_length = 64;
    check(MPI_T_source_get_info(clock_index, name, &length, desc, &desc_length, &order, &ticks, &most, &info) ==
          MPI_SUCCESS && !strcmp(desc, "Steps.") && order == MPI_T_SOURCE_ORDERED && ticks > 0 && most > 0, "R217 source");
    check(MPI_T_source_get_info(clock_index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &other) == MPI_SUCCESS &&
          info != other && MPI_Info_free(&info) == MPI_SUCCESS && MPI_Info_free(&other) == MPI_SUCCESS, "R225, R264");
    check(MPI_T_source_get_timestamp(clock_index, &time) == MPI_SUCCESS &&
          MPI_T_source_get_timestamp(clock_index, &later) == MPI_SUCCESS && time >= 0 && time <= later, "R220 time");
    check(MPI_T_source_get_info(source_named("minimal_users"), NULL, NULL, NULL, NULL, &order, NULL, NULL, NULL) ==
          MPI_SUCCESS && order == MPI_T_SOURCE_UNORDERED, "R218 ordering");
}

static void look_at_category(int expected)
{
    int category = -1, count = -1, members[8] = {-1, -1, -1, -1, -1, -1, -1, -1}, found = 0;
    check(MPI_T_category_get_index("minimal_steps", &category) == MPI_SUCCESS, "category");
    check(MPI_T_category_get_num_events(category, &count) == MPI_SUCCESS && count == expected, "R201 events in it");
    check(MPI_T_category_get_events(category, 8, members) == MPI_SUCCESS, "R201 events in it");
    for (int at = 0; at < count && at < 8; at++)
        found += members[at] == step || members[at] == bound;
    check(found == 2, "R202 its members are the merged indices");
}

static int received, freed;
static MPI_T_event_registration expected_registration;
static MPI_Count before, lost;

/* Proves F39, F42, F43, F44, F45. */
EVENT_CALLBACK(on_step)
{
    struct step whole = {0, 0, 0};
    unsigned long long total = 0;
    MPI_Count time = -1, after = -1;
    int source = -1;
    check(registration == expected_registration && user_data == &received && safety == MPI_T_CB_REQUIRE_NONE, "R249");
    check(MPI_T_event_read(instance, 1, &total) == MPI_SUCCESS, "R289 an element");
    check(MPI_T_event_copy(instance, &whole) == MPI_SUCCESS, "R289 the whole event");
    check(total == whole.total && total == 10ull * whole.number && whole.share == 0.5, "R289 the elements");
    check(MPI_T_event_get_source(instance, &source) == MPI_SUCCESS && source == clock_index, "R294 source");
    check(MPI_T_event_get_timestamp(instance, &time) == MPI_SUCCESS, "R295 time stamp");
    check(MPI_T_source_get_timestamp(source, &after) == MPI_SUCCESS && before <= time && time <= after, "R223 in between");
    received++;
}

/* Proves F40. */
static void on_free(MPI_T_event_registration registration, MPI_T_cb_safety safety, void *user_data)
{
    check(registration == expected_registration && user_data == &freed && safety == MPI_T_CB_REQUIRE_NONE, "R260");
    freed++;
}

static void receive(void)
{
    MPI_T_event_registration mine = expected_registration = listen_to(step, NULL, levels[0], NULL, NULL);
    minimal_step(MPIT_SAFETY_NONE);
    check(received == 0, "R247 nothing before there is a callback");
    MPI_T_source_get_timestamp(clock_index, &before);
    check(MPI_T_event_register_callback(mine, levels[0], MPI_INFO_NULL, &received, on_step) == MPI_SUCCESS, "R248");
    minimal_step(MPIT_SAFETY_NONE);
    minimal_step(MPIT_SAFETY_NONE);
    check(received == 2, "an event for each step");
    check(MPI_T_event_handle_free(mine, &freed, on_free) == MPI_SUCCESS && freed == 1, "R259 free callback");
    minimal_step(MPIT_SAFETY_NONE);
    check(received == 2 && freed == 1, "R258 nothing after the free callback");
}

static int chosen, context;

EVENT_CALLBACK(on_level)
{
    check(safety == levels[context], "R253 the context's requirement");
    chosen = *(int *)user_data;
}

/* Proves R252, R254: all sets of levels in all contexts. */
static void choose(void)
{
    static int own[4] = {0, 1, 2, 3};
    MPI_T_event_registration registration = listen_to(step, NULL, levels[0], NULL, NULL);
    for (int set = 0; set < 16; set++) {
        for (int at = 0; at < 4; at++)
            check(MPI_T_event_register_callback(registration, levels[at], MPI_INFO_NULL, &own[at],
                                                set >> at & 1 ? on_level : NULL) == MPI_SUCCESS, "R250, R251");
        for (context = 0; context < 4; context++) {
            int expected = context;
            while (expected < 4 && !(set >> expected & 1))
                expected++;
            chosen = 4;
            minimal_step(context);
            check(chosen == expected, "R252 the lowest sufficient level");
        }
    }
    leave(registration);
}

/* Proves F41. */
static void on_drop(MPI_Count count, MPI_T_event_registration registration, int source, MPI_T_cb_safety safety,
                    void *user_data)
{
    check(registration == expected_registration && source == clock_index, "R280 source of what was lost");
    check(safety == MPI_T_CB_REQUIRE_NONE && user_data == &context, "R283 user data of the callback");
    lost += count;
}

static void drop(void)
{
    MPI_T_event_registration registration = expected_registration = listen_to(step, NULL, levels[0], on_level, &context);
    context = 0;
    check(MPI_T_event_set_dropped_handler(registration, on_drop) == MPI_SUCCESS, "handler");
    for (int at = 0; at < 3; at++)
        minimal_step(MPIT_SAFETY_THREAD_SAFE);
    check(lost == 0, "R281 not reported where no callback is fit");
    minimal_step(MPIT_SAFETY_NONE);
    check(lost == 3, "R276 what was lost");
    check(MPI_T_event_set_dropped_handler(registration, NULL) == MPI_SUCCESS, "no handler");
    minimal_step(MPIT_SAFETY_THREAD_SAFE);
    check(MPI_T_event_set_dropped_handler(registration, on_drop) == MPI_SUCCESS, "handler");
    minimal_step(MPIT_SAFETY_NONE);
    check(lost == 3, "R275 nothing recorded without a handler");
    leave(registration);
}

static int depth, deepest, inside;

/* Proves R262, R268, R270: raises the event again, queries its registration, and finally frees it. */
EVENT_CALLBACK(on_nested)
{
    struct step outer, again;
    int count = 0;
    inside++;
    check(MPI_T_event_copy(instance, &outer) == MPI_SUCCESS, "an instance within another's callback");
    check(MPI_T_event_get_num(&count) == MPI_SUCCESS && count > 0, "R299 queries in a callback");
    if (++depth < deepest)
        minimal_step(MPIT_SAFETY_NONE);
    check(MPI_T_event_copy(instance, &again) == MPI_SUCCESS && again.number == outer.number, "R296 the same data");
    if (--depth == 0) {
        leave(listen_to(step, NULL, levels[0], NULL, NULL));
        check(MPI_T_event_handle_free(registration, user_data, on_free) == MPI_SUCCESS, "R262 freed in its callback");
        check(MPI_T_event_handle_free(registration, user_data, on_free) == MPI_T_ERR_INVALID_HANDLE, "R257 twice");
        check(MPI_T_event_copy(instance, &again) == MPI_SUCCESS, "R262 the instance is still there");
        check(freed == 1, "R261 not before the callback has returned");
    }
    inside--;
}

static void nest(void)
{
    deepest = 5;
    expected_registration = listen_to(step, NULL, levels[0], on_nested, &freed);
    minimal_step(MPIT_SAFETY_NONE);
    check(inside == 0 && freed == 2, "R259 freed once all callbacks have returned");
    minimal_step(MPIT_SAFETY_NONE);
    check(freed == 2, "R258");
}

EVENT_CALLBACK(count_one)
{
    ++*(int *)user_data;
}

static void bind_to_datatypes(void)
{
    int ints = 0, doubles = 0;
    MPI_Datatype type = MPI_INT, other = MPI_DOUBLE, null = MPI_DATATYPE_NULL;
    MPI_T_event_registration of_int, of_double, none;
    check(MPI_T_event_handle_alloc(bound, NULL, MPI_INFO_NULL, &none) == MPI_T_ERR_INVALID_HANDLE, "R88 no object");
    check(MPI_T_event_handle_alloc(bound, &null, MPI_INFO_NULL, &none) == MPI_T_ERR_INVALID_HANDLE, "R88 a null handle");
    of_int = listen_to(bound, &type, levels[0], count_one, &ints);
    of_double = listen_to(bound, &other, levels[0], count_one, &doubles);
    minimal_use((uintptr_t)MPI_INT);
    minimal_use((uintptr_t)MPI_INT);
    minimal_use((uintptr_t)MPI_DOUBLE);
    check(ints == 2 && doubles == 1, "R256 each receives events of its own object");
    leave(of_int);
    leave(of_double);
}

/* libmpit.so identifies a communicator by its handle. */
static void bind_to_communicators(void)
{
    MPI_Comm comms[2] = {MPI_COMM_WORLD, MPI_COMM_SELF}, none = MPI_COMM_NULL;
    unsigned long long values[2];
    int index = pvar_named("minimal_comm", MPI_T_PVAR_CLASS_GENERIC), elements;
    MPI_T_pvar_handle handle;
    MPI_T_pvar_session_create(&session);
    for (int at = 0; at < 2; at++) {
        handle = started(session, "minimal_comm", MPI_T_PVAR_CLASS_GENERIC, &comms[at], 2);
        check(MPI_T_pvar_read(session, handle, values) == MPI_SUCCESS, "the communicator's number");
        check(values[0] == (uintptr_t)comms[at] && values[1] == values[0], "the handle as a number");
    }
    check(MPI_T_pvar_handle_alloc(session, index, &none, &handle, &elements) == MPI_T_ERR_INVALID_HANDLE, "none");
    MPI_T_pvar_session_free(&session);
}

/* Returns the number of hints of a registration, and the value of the library's own. */
static int hints_of(MPI_T_event_registration registration, char value[8])
{
    MPI_Info info = MPI_INFO_NULL;
    int found, keys = -1;
    value[0] = 0;
    check(MPI_T_event_handle_get_info(registration, &info) == MPI_SUCCESS, "R263 hints");
    MPI_Info_get(info, "minimal_hint", 7, value, &found);
    MPI_Info_get_nkeys(info, &keys);
    MPI_Info_free(&info);
    return keys;
}

/* Proves R263: hints reach the library, which returns its own hint; the tool's own event type has none. */
static void hint(void)
{
    int count = 0;
    char value[8];
    MPI_Info hints, used;
    MPI_T_event_registration registration, own;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "minimal_hint", "yes");
    MPI_Info_set(hints, "no_such_hint", "1");
    check(MPI_T_event_handle_alloc(step, NULL, hints, &registration) == MPI_SUCCESS, "R265 with hints");
    check(hints_of(registration, value) == 1 && !strcmp(value, "yes"), "R263 hints of the registration");
    check(MPI_T_event_register_callback(registration, levels[0], hints, &count, count_one) == MPI_SUCCESS, "R265");
    minimal_step(MPIT_SAFETY_THREAD_SAFE);
    check(count == 0, "R254 the context does not admit the callback");
    minimal_step(MPIT_SAFETY_NONE);
    check(count == 1, "R254 only the later event");
    MPI_Info_set(hints, "minimal_hint", "no");
    check(MPI_T_event_handle_set_info(registration, hints) == MPI_SUCCESS && hints_of(registration, value) == 1 &&
          !strcmp(value, "no"), "R263 the new value");
    check(MPI_T_event_callback_set_info(registration, levels[0], hints) == MPI_SUCCESS, "hints of a callback");
    check(MPI_T_event_callback_get_info(registration, levels[0], &used) == MPI_SUCCESS &&
          MPI_Info_free(&used) == MPI_SUCCESS, "hints of a callback");
    leave(registration);
    check(MPI_T_event_handle_alloc(event_named("tool_event"), NULL, hints, &own) == MPI_SUCCESS, "R265 own");
    check(hints_of(own, value) == 0, "R263 unknown hints are ignored");
    check(MPI_T_event_handle_set_info(own, hints) == MPI_SUCCESS && hints_of(own, value) == 0, "R263 also later");
    leave(own);
    MPI_Info_free(&hints);
}

static void grow(void)
{
    char names[64][64];
    int count = remember_names(names), stamp = -1, later = -1, late, calls = 0;
    MPI_T_event_registration registration;
    MPI_T_category_changed(&stamp);
    check(minimal_grow() == MPI_SUCCESS, "the library has more to show");
    MPI_T_category_changed(&later);
    check(later > stamp, "R210 the update number grows");
    compare_names(names, count);
    late = event_named("minimal_late");
    check(late == count && source_named("minimal_late_clock") > clock_index, "R16 what is new goes behind");
    look_at_category(3);
    registration = listen_to(late, NULL, levels[0], count_one, &calls);
    minimal_late();
    check(calls == 1, "an event type that came late");
    leave(registration);
}

EVENT_CALLBACK(on_own)
{
    int value = 0, source = -1;
    check(MPI_T_event_read(instance, 0, &value) == MPI_SUCCESS && value == 42, "an event of the tool's own");
    check(MPI_T_event_get_source(instance, &source) == MPI_SUCCESS && source == source_named("tool_clock"), "its source");
    minimal_step(MPIT_SAFETY_NONE);
    ++*(int *)user_data;
}

/* Both kinds nested: the library's event in the callback of the tool's event. */
static void mix(void)
{
    int own = 0, steps = 0, value = 42;
    MPI_T_event_registration of_own = listen_to(event_named("tool_event"), NULL, levels[0], on_own, &own);
    MPI_T_event_registration of_step = listen_to(step, NULL, levels[0], count_one, &steps);
    mpit_raise(&own_cell, MPIT_SAFETY_NONE, 0, &value);
    check(own == 1 && steps == 1, "events of both");
    leave(of_own);
    leave(of_step);
}

static int stop_threads;

static void *raise_many(void *nothing)
{
    for (int at = 0; at < MANY; at++)
        minimal_use((uintptr_t)MPI_INT);
    return nothing;
}

EVENT_CALLBACK(count_atomically)
{
    int one = 0, source = -1;
    if (MPI_T_event_read(instance, 0, &one) != MPI_SUCCESS || one != 1 || MPI_T_event_get_source(instance, &source))
        __atomic_fetch_add(&failures, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add((int *)user_data, 1, __ATOMIC_SEQ_CST);
}

static void *come_and_go(void *nothing)
{
    MPI_Datatype type = MPI_INT;
    int ignored = 0;
    while (!__atomic_load_n(&stop_threads, __ATOMIC_SEQ_CST)) {
        MPI_T_event_registration registration = listen_to(bound, &type, levels[0], count_atomically, &ignored);
        MPI_T_event_register_callback(registration, levels[2], MPI_INFO_NULL, &ignored, count_atomically);
        MPI_T_event_register_callback(registration, levels[0], MPI_INFO_NULL, NULL, NULL);
        leave(registration);
    }
    return nothing;
}

/* Two threads raise events, while a third registers and frees registrations. */
static void race(void)
{
    int count = 0;
    MPI_Datatype type = MPI_INT;
    MPI_T_event_registration registration = listen_to(bound, &type, levels[0], count_atomically, &count);
    pthread_t raising[2], changing;
    pthread_create(&changing, NULL, come_and_go, NULL);
    for (int at = 0; at < 2; at++)
        pthread_create(&raising[at], NULL, raise_many, NULL);
    for (int at = 0; at < 2; at++)
        pthread_join(raising[at], NULL);
    __atomic_store_n(&stop_threads, 1, __ATOMIC_SEQ_CST);
    pthread_join(changing, NULL);
    check(count == 2 * MANY, "each event of two threads");
    leave(registration);
}

/* Checks the library's events after the tools interface, and then MPI, was finalized. */
static void end(void)
{
    int provided, calls = 0, length = 64;
    char name[64] = "";
    MPI_Count time;
    MPI_T_event_registration registration = listen_to(step, NULL, levels[0], count_one, &calls), next;
    MPI_T_finalize();
    minimal_step(MPIT_SAFETY_NONE);
    check(calls == 0, "nothing when the interface is down");
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    check(MPI_T_event_handle_free(registration, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE, "R32 as if it were freed");
    next = listen_to(step, NULL, levels[0], count_one, &calls);
    minimal_step(MPIT_SAFETY_NONE);
    check(calls == 1 && next != registration, "R31 everything works again");
    MPI_Finalize();
    minimal_step(MPIT_SAFETY_NONE);
    check(calls == 1, "nothing after MPI_Finalize");
    check(MPI_T_event_handle_free(next, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE, "it ended with the library");
    check(MPI_T_event_handle_alloc(step, NULL, MPI_INFO_NULL, &next) == MPI_T_ERR_INVALID_INDEX, "none can be made");
    check(MPI_T_event_get_info(step, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
          MPI_SUCCESS && !strcmp(name, "minimal_step"), "it can still be described");
    check(MPI_T_source_get_timestamp(clock_index, &time) == MPI_T_ERR_NOT_SUPPORTED, "there is no time any more");
    look_at_category(3);
    MPI_T_finalize();
}

int main(int argc, char **argv)
{
    char names[64][64];
    int provided, count, now = 0;
    check(mpit_register(&own_table) == MPI_SUCCESS, "the tool's own event type");
    check(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS, "R19 init");
    count = remember_names(names);
    check(count > 0, "the preload library has events of its own");
    MPI_Init(&argc, &argv);
    check(MPI_T_event_get_num(&now) == MPI_SUCCESS && now == count + 2, "R15 the library's are new");
    compare_names(names, count);
    step = event_named("minimal_step");
    bound = event_named("minimal_bound");
    check(step >= count && bound >= count, "R16 ours first");
    describe();
    look_at_category(2);
    receive();
    choose();
    drop();
    nest();
    bind_to_datatypes();
    bind_to_communicators();
    hint();
    mix();
    grow();
    race();
    end();
    printf("received %d steps, %d failures\n", received, failures);
    return failures != 0;
}
