/* A tool that knows only mpi.h, over the MPI library in implementor.c. It finds the library's entries by name, reads them
 * while the library works, and receives its events. Prints a line for each failure. */
#include "checks.h"

#include <stdint.h>

static int received;
static unsigned long long last_number;

static void work(int barriers)
{
    while (barriers--)
        MPI_Barrier(MPI_COMM_WORLD);
}

enum { BARRIERS, SECONDS, WAITING, SIZES, GREETING, FAILING, VARIABLES };

/* Variables with their metadata. */
static const struct variable {
    const char *name;
    int class, verbosity;
    MPI_Datatype type;
    const char *description;
    int readonly, continuous, atomic, elements;
} VARIABLE[VARIABLES] = {
    {"impl_barriers", MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_BASIC, MPI_UNSIGNED_LONG_LONG, "Barriers passed.", 0, 0, 0,
     1},
    {"impl_seconds", MPI_T_PVAR_CLASS_TIMER, MPI_T_VERBOSITY_USER_DETAIL, MPI_DOUBLE, "Time in barriers.", 0, 0, 1, 1},
    {"impl_waiting", MPI_T_PVAR_CLASS_LEVEL, MPI_T_VERBOSITY_MPIDEV_ALL, MPI_UNSIGNED, "Twice the messages that wait.",
     1, 1, 0, 1},
    {"impl_sizes", MPI_T_PVAR_CLASS_SIZE, MPI_T_VERBOSITY_USER_BASIC, MPI_UNSIGNED_LONG, "", 1, 0, 0, 3},
    {"impl_greeting", MPI_T_PVAR_CLASS_GENERIC, MPI_T_VERBOSITY_USER_BASIC, MPI_CHAR, "", 1, 0, 0, 16},
    {"impl_failing", MPI_T_PVAR_CLASS_LEVEL, MPI_T_VERBOSITY_USER_BASIC, MPI_UNSIGNED, "", 1, 0, 0, 1},
};

static MPI_T_pvar_session session;

/* Compares the metadata of a variable; returns a handle on it. */
static MPI_T_pvar_handle handle_of(const struct variable *wanted)
{
    int index = -1, length = 64, desc_length = 64, says[6];
    char text[64], desc[64];
    MPI_Datatype type;
    MPI_T_enum enumeration;
    MPI_T_pvar_get_index(wanted->name, wanted->class, &index);
    check(MPI_T_pvar_get_info(index, text, &length, &says[0], &says[1], &type, &enumeration, desc, &desc_length, &says[2],
                              &says[3], &says[4], &says[5]) == MPI_SUCCESS, wanted->name);
    check(!strcmp(text, wanted->name) && !strcmp(desc, wanted->description), "name and description");
    check(says[0] == wanted->verbosity && says[1] == wanted->class && type == wanted->type, "verbosity, class and datatype");
    check(says[2] == MPI_T_BIND_NO_OBJECT && says[3] == wanted->readonly && says[4] == wanted->continuous &&
          says[5] == wanted->atomic, "flags");
    return handle_on(session, wanted->name, wanted->class, NULL, wanted->elements);
}

EVENT_CALLBACK(on_event)
{
    struct {
        int depth;
        unsigned long long number;
        double share;
    } whole;
    double share = 0;
    check(user_data == &received && safety == MPI_T_CB_REQUIRE_MPI_RESTRICTED, "what the callback receives");
    check(MPI_T_event_copy(instance, &whole) == MPI_SUCCESS, "the whole event");
    check(whole.depth == 7 && whole.number > last_number && whole.share == 0.5, "the elements of the event");
    check(MPI_T_event_read(instance, 2, &share) == MPI_SUCCESS && share == 0.5, "one element");
    last_number = whole.number;
    received++;
}

static void variables(void)
{
    unsigned long long count = 99;
    unsigned long sizes[3] = {0, 0, 0};
    unsigned waiting = 99;
    double seconds = 99;
    char greeting[16];
    MPI_T_pvar_handle handles[VARIABLES], barriers, timer;
    work(5);
    for (int at = 0; at < VARIABLES; at++) {
        handles[at] = handle_of(&VARIABLE[at]);
        const int code = MPI_T_pvar_start(session, handles[at]);
        check(code == MPI_SUCCESS || at == WAITING || at == FAILING, "start");
    }
    barriers = handles[BARRIERS];
    timer = handles[SECONDS];
    check(MPI_T_pvar_read(session, barriers, &count) == MPI_SUCCESS && count == 0, "nothing counted before the start");
    work(3);
    check(MPI_T_pvar_read(session, barriers, &count) == MPI_SUCCESS && count == 3, "barriers");
    check(MPI_T_pvar_stop(session, barriers) == MPI_SUCCESS, "stop");
    work(2);
    check(MPI_T_pvar_read(session, barriers, &count) == MPI_SUCCESS && count == 3, "nothing counted after the stop");
    check(MPI_T_pvar_readreset(session, timer, &seconds) == MPI_SUCCESS && seconds == 1.25, "seconds");
    check(MPI_T_pvar_read(session, timer, &seconds) == MPI_SUCCESS && seconds == 0, "seconds after a reset");
    check(MPI_T_pvar_read(session, handles[WAITING], &waiting) == MPI_SUCCESS && waiting == 60, "the function's value");
    check(MPI_T_pvar_read(session, handles[SIZES], sizes) == MPI_SUCCESS, "sizes");
    check(sizes[0] == 10 && sizes[1] == 30 && sizes[2] == 30, "the storage's values");
    check(MPI_T_pvar_read(session, handles[GREETING], greeting) == MPI_SUCCESS && !strcmp(greeting, "hello"), "text");
    check(MPI_T_pvar_read(session, handles[FAILING], &waiting) == MPI_T_ERR_INVALID, "a function that fails");
}

static void events(void)
{
    int index = -1, elements = 3, bind = -1, length = 64;
    char name[64];
    MPI_Datatype types[3];
    MPI_Aint places[3];
    MPI_T_enum enumeration;
    MPI_T_event_registration registration;
    check(MPI_T_event_get_index("impl_entered", &index) == MPI_SUCCESS, "event");
    check(MPI_T_event_get_info(index, NULL, NULL, NULL, types, places, &elements, &enumeration, NULL, NULL, NULL, &bind) ==
          MPI_SUCCESS, "what the event says of itself");
    check(elements == 3 && bind == MPI_T_BIND_NO_OBJECT && types[0] == MPI_INT && types[1] == MPI_UNSIGNED_LONG_LONG &&
          types[2] == MPI_DOUBLE && places[1] == 8 && places[2] == 16, "the event's elements");
    check(MPI_T_enum_get_item(enumeration, 1, &bind, name, &length) == MPI_SUCCESS && !strcmp(name, "number"),
          "the names of the event's elements");
    check(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration) == MPI_SUCCESS, "registration");
    check(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL, &received, on_event) ==
          MPI_SUCCESS, "callback");
    work(4);
    check(received == 4, "an event for each barrier");
    check(MPI_T_event_handle_free(registration, NULL, NULL) == MPI_SUCCESS, "free");
    work(1);
    check(received == 4, "nothing after the registration is freed");
}

static void levels(void)
{
    unsigned long long value = 99;
    int state = 0;
    MPI_Datatype type;
    MPI_T_enum names;
    char name[16];
    int length = sizeof name, index = -1, at;
    int classes[3] = {MPI_T_PVAR_CLASS_LEVEL, MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_T_PVAR_CLASS_LOWWATERMARK};
    unsigned long long expected[3] = {5, 40, 2};
    MPI_T_pvar_handle handles[3], phase;
    for (at = 0; at < 3; at++) {
        handles[at] = handle_on(session, "impl_depth", classes[at], NULL, 1);
        check(MPI_T_pvar_start(session, handles[at]) == MPI_SUCCESS, "start");
    }
    work(1);
    for (at = 0; at < 3; at++)
        check(MPI_T_pvar_read(session, handles[at], &value) == MPI_SUCCESS && value == expected[at], "level or watermark");
    check(MPI_T_pvar_get_index("impl_phase", MPI_T_PVAR_CLASS_STATE, &index) == MPI_SUCCESS, "state");
    check(MPI_T_pvar_get_info(index, NULL, NULL, NULL, NULL, &type, &names, NULL, NULL, NULL, NULL, NULL, NULL) ==
          MPI_SUCCESS, "state");
    check(MPI_T_enum_get_item(names, 1, &at, name, &length) == MPI_SUCCESS && at == 9 && !strcmp(name, "busy"), "its names");
    phase = handle_on(session, "impl_phase", MPI_T_PVAR_CLASS_STATE, NULL, 1);
    MPI_T_pvar_start(session, phase);
    check(MPI_T_pvar_read(session, phase, &state) == MPI_SUCCESS && state == 9, "state");
}

/* libmpit.so identifies a communicator by its handle. */
static void communicators(void)
{
    MPI_Comm comms[2] = {MPI_COMM_WORLD, MPI_COMM_SELF}, none = MPI_COMM_NULL;
    unsigned long long values[2];
    int index = -1, count;
    MPI_T_pvar_handle handle;
    check(MPI_T_pvar_get_index("impl_comm", MPI_T_PVAR_CLASS_GENERIC, &index) == MPI_SUCCESS, "bound to communicators");
    for (int at = 0; at < 2; at++) {
        handle = handle_on(session, "impl_comm", MPI_T_PVAR_CLASS_GENERIC, &comms[at], 2);
        check(MPI_T_pvar_start(session, handle) == MPI_SUCCESS, "start");
        check(MPI_T_pvar_read(session, handle, values) == MPI_SUCCESS, "the communicator's number");
        check(values[0] == (unsigned long long)(uintptr_t)comms[at] && values[1] == values[0], "the handle as a number");
    }
    check(MPI_T_pvar_handle_alloc(session, index, &none, &handle, &count) == MPI_T_ERR_INVALID_HANDLE, "no communicator");
    check(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) == MPI_T_ERR_INVALID_HANDLE, "no communicator");
}

static MPI_T_cvar_handle setting(const char *name, int scope, int elements)
{
    int index = -1, count = -1, says = -1;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    check(MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS, name);
    check(MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &says) == MPI_SUCCESS && says == scope,
          "scope");
    check(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS && count == elements, "handle");
    return handle;
}

static void settings(void)
{
    MPI_T_cvar_handle limit = setting("impl_limit", MPI_T_SCOPE_LOCAL, 1);
    MPI_T_cvar_handle mode = setting("impl_mode", MPI_T_SCOPE_ALL_EQ, 1);
    MPI_T_cvar_handle label = setting("impl_label", MPI_T_SCOPE_LOCAL, 8);
    MPI_T_cvar_handle fixed = setting("impl_fixed", MPI_T_SCOPE_READONLY, 3);
    unsigned value = 0, high = 101, right = 40;
    unsigned long long sizes[3];
    int lazy = 7, wrong = 2;
    char text[8];
    check(MPI_T_cvar_read(limit, &value) == MPI_SUCCESS && value == 10, "the default");
    check(MPI_T_cvar_write(limit, &high) == MPI_T_ERR_INVALID, "a value that the library refuses");
    check(MPI_T_cvar_read(limit, &value) == MPI_SUCCESS && value == 10, "a refused value changes nothing");
    check(MPI_T_cvar_write(limit, &right) == MPI_SUCCESS, "a value that it takes");
    check(MPI_T_cvar_read(limit, &value) == MPI_SUCCESS && value == 40, "what was set");
    check(MPI_T_cvar_read(mode, &lazy) == MPI_SUCCESS && lazy == 0, "the default of an enumeration");
    check(MPI_T_cvar_write(mode, &wrong) == MPI_T_ERR_INVALID, "no item of the enumeration");
    check(MPI_T_cvar_read(label, text) == MPI_SUCCESS && !strcmp(text, "stated"), "what the environment says");
    check(MPI_T_cvar_write(label, "x") == MPI_SUCCESS && MPI_T_cvar_read(label, text) == MPI_SUCCESS &&
          !memcmp(text, "x\0\0\0\0\0\0", 8), "shorter text leaves nothing behind");
    check(MPI_T_cvar_write(label, "12345678") == MPI_T_ERR_INVALID, "text without room for its NUL");
    check(MPI_T_cvar_write(fixed, sizes) == MPI_T_ERR_CVAR_SET_NEVER, "read only");
    check(MPI_T_cvar_read(fixed, sizes) == MPI_SUCCESS && sizes[0] == 10 && sizes[2] == 30, "several elements");
}

static void groups(void)
{
    int parent = -1, child = -1, numbers[3] = {0, 0, 0}, inside = -1, num_events = 0;
    check(MPI_T_category_get_index("impl", &parent) == MPI_SUCCESS, "category");
    check(MPI_T_category_get_index("impl_barrier", &child) == MPI_SUCCESS, "category");
    check(MPI_T_category_get_info(child, NULL, NULL, NULL, NULL, &numbers[0], &numbers[1], &numbers[2]) == MPI_SUCCESS,
          "what the category says of itself");
    check(MPI_T_category_get_num_events(child, &num_events) == MPI_SUCCESS, "its events");
    check(numbers[0] == 1 && numbers[1] == 2 && num_events == 1, "what is in the category");
    check(MPI_T_category_get_categories(parent, 1, &inside) == MPI_SUCCESS && inside == child, "the category's parent");
}

int main(int argc, char **argv)
{
    int provided;
    /* The tools interface is initialized before the library: entries that it registers later are found all the same. */
    check(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS, "init");
    check(MPI_T_pvar_get_index("impl_barriers", MPI_T_PVAR_CLASS_COUNTER, &provided) == MPI_T_ERR_INVALID_NAME, "before");
    check(MPI_Init(&argc, &argv) == MPI_SUCCESS, "the library's tables");
    check(MPI_T_pvar_session_create(&session) == MPI_SUCCESS, "session");
    variables();
    settings();
    levels();
    communicators();
    events();
    groups();
    check(MPI_Init(&argc, &argv) == MPI_T_ERR_INVALID, "the same tables again");
    check(MPI_T_pvar_session_free(&session) == MPI_SUCCESS, "session");
    MPI_T_finalize();
    MPI_Finalize();
    printf("received %d barriers, %d failures\n", received, failures);
    return failures != 0;
}
