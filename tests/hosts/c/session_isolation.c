/* Sessions of MPI_T are isolated: starts, stops, resets and frees in one must not change values that another one reads, and
 * a stopped handle must not count. Bound variables are read-only, so a reset must be refused.
 *
 *     session_isolation DIRECTORY        (2 processes)
 *
 * Two handles on pml_monitoring_flush write DIRECTORY/first and DIRECTORY/whole, and DIRECTORY/part. */
#define _POSIX_C_SOURCE 200809L
#include "checks.h"

#include <unistd.h>

enum { PROCESSES = 2, BINS = 66, MOST = PROCESSES * BINS, FILE_NAME = 4096 };

static int other;
static char block[128], memory[128];
static MPI_Win win;

/* Ends the job unless a condition about a variable holds. */
static void require_of(const char *name, int right, const char *what)
{
    char text[256];
    snprintf(text, sizeof text, "%s: %s", name, what);
    require(right, text);
}

/* A fixed sequence of calls of each kind. */
static void act(void)
{
    char out[128] = {0};

    MPI_Sendrecv(out, 100, MPI_BYTE, other, 7, block, 128, MPI_BYTE, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
    MPI_Put(out, 12, MPI_BYTE, other, 0, 12, MPI_BYTE, win);
    MPI_Get(block, 20, MPI_BYTE, other, 64, 20, MPI_BYTE, win);
    MPI_Win_unlock(other, win);
    for (int root = 0; root < PROCESSES; root++) {
        MPI_Bcast(out, 5, MPI_BYTE, root, MPI_COMM_WORLD);
        MPI_Reduce(out, block, 6, MPI_SIGNED_CHAR, MPI_SUM, root, MPI_COMM_WORLD);
    }
    MPI_Allreduce(out, block, 7, MPI_SIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
}

enum kind { ARRAY, COUNT, BYTES, TOTAL_COUNT, TOTAL_BYTES };

/* The variables, with the amount that one `act` adds to the element of the other process, or to the only one. */
static const struct variable {
    const char *name;
    enum kind kind;
    int bin;
    unsigned long long each;
} VARIABLES[] = {
    {"pml_monitoring_messages_count", ARRAY, 0, 1},
    {"pml_monitoring_messages_size", ARRAY, 0, 100},
    /* The bin from 64 to 127 bytes. */
    {"pml_monitoring_messages_histogram", ARRAY, 7, 1},
    {"osc_monitoring_messages_sent_count", ARRAY, 0, 2},
    {"osc_monitoring_messages_sent_size", ARRAY, 0, 12},
    {"osc_monitoring_messages_recv_count", ARRAY, 0, 1},
    {"osc_monitoring_messages_recv_size", ARRAY, 0, 20},
    {"coll_monitoring_messages_count", ARRAY, 0, 3},
    {"coll_monitoring_messages_size", ARRAY, 0, 18},
    {"coll_monitoring_o2a_count", COUNT, 0, 1},
    {"coll_monitoring_o2a_size", BYTES, 0, 5},
    {"coll_monitoring_a2o_count", COUNT, 0, 1},
    {"coll_monitoring_a2o_size", BYTES, 0, 6},
    {"coll_monitoring_a2a_count", COUNT, 0, 1},
    {"coll_monitoring_a2a_size", BYTES, 0, 7},
    {"pml_monitoring_messages_total", TOTAL_COUNT, 0, 1},
    {"pml_monitoring_bytes_total", TOTAL_BYTES, 0, 100},
    {"osc_monitoring_messages_sent_total", TOTAL_COUNT, 0, 2},
    {"osc_monitoring_bytes_sent_total", TOTAL_BYTES, 0, 12},
    {"osc_monitoring_messages_recv_total", TOTAL_COUNT, 0, 1},
    {"osc_monitoring_bytes_recv_total", TOTAL_BYTES, 0, 20},
    {"coll_monitoring_messages_total", TOTAL_COUNT, 0, 3},
    {"coll_monitoring_bytes_total", TOTAL_BYTES, 0, 18},
};
enum { VARIABLE_COUNT = sizeof VARIABLES / sizeof *VARIABLES };

/* A handle, and the index of the element that changes. */
struct handle {
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    const char *name;
    int count, element;
};

static int is_bound(const struct variable *variable)
{
    return variable->kind < TOTAL_COUNT;
}

static struct handle open(MPI_T_pvar_session in, const struct variable *variable)
{
    const enum kind kind = variable->kind;
    const int class = kind == ARRAY                          ? MPI_T_PVAR_CLASS_SIZE
                      : kind == COUNT || kind == TOTAL_COUNT ? MPI_T_PVAR_CLASS_COUNTER
                                                             : MPI_T_PVAR_CLASS_AGGREGATE;
    const int expected = kind != ARRAY ? 1 : variable->bin ? MOST : PROCESSES;
    const int element = kind == ARRAY ? other * (expected / PROCESSES) + variable->bin : 0;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_T_pvar_handle handle = handle_on(in, variable->name, class, is_bound(variable) ? &world : NULL, expected);

    require_of(variable->name, failures == 0, "no handle, or another number of elements");
    return (struct handle){in, handle, variable->name, expected, element};
}

/* Checks the element that changes, and that all others are 0. */
static void is(const struct handle *at, unsigned long long wanted, const char *when)
{
    unsigned long long values[MOST], sum = 0;
    char text[256];

    require_of(at->name, MPI_T_pvar_read(at->session, at->handle, values) == MPI_SUCCESS, "not read");
    for (int i = 0; i < at->count; i++)
        sum += values[i];
    snprintf(text, sizeof text, "is %llu and should be %llu %s", values[at->element], wanted, when);
    require_of(at->name, values[at->element] == wanted && sum == wanted, text);
}

/* Proves F15, F16, F17, F18, F19, F20, F21: all calls of this program, each checked by its effect on what is read. */
#define DO(call, at) require_of((at)->name, MPI_T_pvar_##call((at)->session, (at)->handle) == MPI_SUCCESS, #call)

/* Tries to reset a handle whose value is `value`; returns its value afterwards. */
static unsigned long long reset(const struct handle *at, const struct variable *variable, unsigned long long value)
{
    const int rc = MPI_T_pvar_reset(at->session, at->handle);

    require_of(at->name, rc == (is_bound(variable) ? MPI_T_ERR_PVAR_NO_WRITE : MPI_SUCCESS), "reset");
    return is_bound(variable) ? value : 0;
}

/* Makes all calls on a handle, with traffic in between; returns its value. */
static unsigned long long meddle(struct handle *with, const struct variable *variable)
{
    unsigned long long value = variable->each;

    is(with, 0, "before its first start");
    DO(start, with);
    act();
    DO(stop, with);
    is(with, value, "in the other session");
    act();
    is(with, value, "in the other session, when stopped");
    value = reset(with, variable, value);
    is(with, value, "in the other session, after a reset");
    DO(start, with);
    act();
    value += variable->each;
    is(with, value, "in the other session, when started again");
    return value;
}

static void try(const struct variable *variable, MPI_T_pvar_session one, MPI_T_pvar_session two)
{
    struct handle running = open(one, variable), stopped = open(one, variable), with = open(two, variable);
    const unsigned long long each = variable->each;
    unsigned long long meddled;

    act();
    DO(start, &stopped);
    act();
    DO(stop, &stopped);
    DO(start, &running);
    meddled = meddle(&with, variable);
    is(&running, 3 * each, "while another session meddled");
    is(&stopped, each, "though it was stopped while another session recorded");
    DO(start, &stopped);
    act();
    is(&stopped, 2 * each, "after a phase that was left out");
    const unsigned long long left = reset(&stopped, variable, 2 * each);
    is(&stopped, left, "after a reset");
    is(&running, 4 * each, "after a reset of another handle of its session");
    is(&with, meddled + each, "in the other session, after a reset in the first");
    require_of(variable->name, MPI_T_pvar_handle_free(two, &with.handle) == MPI_SUCCESS, "free");
    act();
    is(&running, 5 * each, "after the other session's handle was freed");
    require_of(variable->name, MPI_T_pvar_handle_free(one, &stopped.handle) == MPI_SUCCESS, "free");
    require_of(variable->name, MPI_T_pvar_handle_free(one, &running.handle) == MPI_SUCCESS, "free");
}

/* A handle that writes the calls between start and stop to a file. */
static struct handle open_flush(MPI_T_pvar_session in)
{
    struct handle opened = {in, MPI_T_PVAR_HANDLE_NULL, "pml_monitoring_flush", -1, 0};

    require(MPI_T_pvar_handle_alloc(in, pvar_named(opened.name, MPI_T_PVAR_CLASS_GENERIC), NULL, &opened.handle,
                                    &opened.count) == MPI_SUCCESS, "no handle for files");
    require(opened.count <= FILE_NAME, "the name of a file is too long");
    return opened;
}

static void set_file(const struct handle *flush, const char *directory, const char *name)
{
    char stem[FILE_NAME] = "";

    snprintf(stem, sizeof stem, "%s/%s", directory, name);
    require_of(flush->name, MPI_T_pvar_write(flush->session, flush->handle, stem) == MPI_SUCCESS, "write");
}

/* One phase whose file is named before its end, and is there at once; then five, of which another handle writes the second and
 * the fourth to one file. */
static void phases(const char *directory, MPI_T_pvar_session one, MPI_T_pvar_session two)
{
    struct handle whole = open_flush(one), part = open_flush(two), count = open(two, &VARIABLES[0]);
    char path[FILE_NAME];

    DO(start, &whole);
    act();
    set_file(&whole, directory, "first");
    DO(stop, &whole);
    snprintf(path, sizeof path, "%s/first.%d.prof", directory, rank);
    require_of(path, access(path, R_OK) == 0, "is not there");

    set_file(&part, directory, "part");
    DO(start, &whole);
    DO(start, &count);
    act();
    DO(start, &part);
    act();
    DO(stop, &part);
    act();
    is(&count, 3, "after a phase of the same session was written");
    DO(start, &part);
    DO(reset, &part);
    act();
    DO(stop, &part);
    act();
    set_file(&whole, directory, "whole");
    DO(stop, &whole);
    is(&count, 5, "after all phases were written");
    require_of(whole.name, MPI_T_pvar_handle_free(one, &whole.handle) == MPI_SUCCESS, "free");
    require_of(part.name, MPI_T_pvar_handle_free(two, &part.handle) == MPI_SUCCESS, "free");
}

int main(int argc, char **argv)
{
    MPI_T_pvar_session one, two;

    MPI_Init(&argc, &argv);
    start_tool();
    require(size == PROCESSES && argc == 2, "needs two processes and a directory");
    other = 1 - rank;
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    require(MPI_T_pvar_session_create(&one) == MPI_SUCCESS, "session create");
    require(MPI_T_pvar_session_create(&two) == MPI_SUCCESS, "session create");
    /* Proves R194: the sessions do not affect each other. */
    for (int i = 0; i < VARIABLE_COUNT; i++)
        try(&VARIABLES[i], one, two);
    phases(argv[1], one, two);
    require(MPI_T_pvar_session_free(&one) == MPI_SUCCESS, "session free");
    require(MPI_T_pvar_session_free(&two) == MPI_SUCCESS, "session free");
    MPI_Win_free(&win);
    return end_tool();
}
