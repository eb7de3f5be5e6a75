/* Sessions of MPI_T are isolated: starts, stops, resets and frees in one must not change values that another one reads, and
 * a stopped handle must not count. Bound variables are read-only, so a reset must be refused.
 *
 *     session_isolation DIRECTORY        (2 processes)
 *
 * Two handles on pml_monitoring_flush write DIRECTORY/whole and DIRECTORY/part. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROCESSES = 2, BINS = 66, MOST = PROCESSES * BINS, FILE_NAME = 4096 };

static int rank, other;
static char block[128], memory[128];
static MPI_Win win;

static void require(int good, const char *name, const char *what)
{
    if (!good) {
        fprintf(stderr, "session_isolation: rank %d: %s: %s\n", rank, name, what);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
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

static int index_of(const char *name, int class)
{
    int index;
    require(MPI_T_pvar_get_index(name, class, &index) == MPI_SUCCESS, name, "is not there");
    return index;
}

/* A handle, and the index of the compared element. */
struct handle {
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    const char *name;
    int element;
};

static int is_bound(const struct variable *variable)
{
    return variable->kind < TOTAL_COUNT;
}

static struct handle open(MPI_T_pvar_session session, const struct variable *variable)
{
    const enum kind kind = variable->kind;
    const int class = kind == ARRAY                          ? MPI_T_PVAR_CLASS_SIZE
                      : kind == COUNT || kind == TOTAL_COUNT ? MPI_T_PVAR_CLASS_COUNTER
                                                             : MPI_T_PVAR_CLASS_AGGREGATE;
    struct handle opened = {session, MPI_T_PVAR_HANDLE_NULL, variable->name, 0};
    MPI_Comm world = MPI_COMM_WORLD;
    int count;

    require(MPI_T_pvar_handle_alloc(session, index_of(variable->name, class), is_bound(variable) ? &world : NULL,
                                    &opened.handle, &count) == MPI_SUCCESS,
            variable->name, "no handle");
    require(count == (kind != ARRAY ? 1 : variable->bin ? MOST : PROCESSES), variable->name, "number of elements");
    if (kind == ARRAY)
        opened.element = other * (count / PROCESSES) + variable->bin;
    return opened;
}

static void is(const struct handle *at, unsigned long long wanted, const char *when)
{
    unsigned long long values[MOST];
    char text[256];

    require(MPI_T_pvar_read(at->session, at->handle, values) == MPI_SUCCESS, at->name, "not read");
    snprintf(text, sizeof text, "is %llu and should be %llu %s", values[at->element], wanted, when);
    require(values[at->element] == wanted, at->name, text);
}

#define DO(call, at) require(MPI_T_pvar_##call((at)->session, (at)->handle) == MPI_SUCCESS, (at)->name, #call)

/* Tries to reset a handle whose value is `value`; returns its value afterwards. */
static unsigned long long reset(const struct handle *at, const struct variable *variable, unsigned long long value)
{
    const int rc = MPI_T_pvar_reset(at->session, at->handle);

    require(rc == (is_bound(variable) ? MPI_T_ERR_PVAR_NO_WRITE : MPI_SUCCESS), at->name, "reset");
    return is_bound(variable) ? value : 0;
}

/* Makes all calls on a handle, with traffic in between; returns its value. */
/* Proves F15, F16, F17, F18, F19, F20, F21, R194: each call is checked by its effect on what is read. */
static unsigned long long meddle(struct handle *with, const struct variable *variable)
{
    unsigned long long value = variable->each;

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
    is(&running, 0, "before its first start");
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
    require(MPI_T_pvar_handle_free(two, &with.handle) == MPI_SUCCESS, variable->name, "free");
    act();
    is(&running, 5 * each, "after the other session's handle was freed");
    require(MPI_T_pvar_handle_free(one, &stopped.handle) == MPI_SUCCESS, variable->name, "free");
    require(MPI_T_pvar_handle_free(one, &running.handle) == MPI_SUCCESS, variable->name, "free");
}

static struct handle phase(MPI_T_pvar_session session, const char *directory, const char *name)
{
    struct handle opened = {session, MPI_T_PVAR_HANDLE_NULL, "pml_monitoring_flush", 0};
    char stem[FILE_NAME] = "";
    int count;

    require(MPI_T_pvar_handle_alloc(session, index_of(opened.name, MPI_T_PVAR_CLASS_GENERIC), NULL, &opened.handle,
                                    &count) == MPI_SUCCESS,
            opened.name, "no handle");
    require(count <= FILE_NAME, opened.name, "too long");
    snprintf(stem, sizeof stem, "%s/%s", directory, name);
    require(MPI_T_pvar_write(session, opened.handle, stem) == MPI_SUCCESS, opened.name, "write");
    return opened;
}

/* Five times; the second handle is started during the second and the fourth. */
static void phases(const char *directory, MPI_T_pvar_session one, MPI_T_pvar_session two)
{
    struct handle whole = phase(one, directory, "whole"), part = phase(two, directory, "part");
    struct handle count = open(two, &VARIABLES[0]);
    char file[FILE_NAME];

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
    DO(stop, &whole);
    snprintf(file, sizeof file, "%s/whole.%d.prof", directory, rank);
    require(access(file, R_OK) == 0, whole.name, "no file as soon as it is stopped");
    is(&count, 5, "after all phases were written");
    require(MPI_T_pvar_handle_free(one, &whole.handle) == MPI_SUCCESS, whole.name, "free");
    require(MPI_T_pvar_handle_free(two, &part.handle) == MPI_SUCCESS, part.name, "free");
}

int main(int argc, char **argv)
{
    MPI_T_pvar_session one, two;
    int level, size;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    require(size == PROCESSES && argc == 2, "arguments", "needs two processes and a directory");
    other = 1 - rank;
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    require(MPI_T_pvar_session_create(&one) == MPI_SUCCESS, "session", "create");
    require(MPI_T_pvar_session_create(&two) == MPI_SUCCESS, "session", "create");
    for (int i = 0; i < VARIABLE_COUNT; i++)
        try(&VARIABLES[i], one, two);
    phases(argv[1], one, two);
    require(MPI_T_pvar_session_free(&one) == MPI_SUCCESS, "session", "free");
    require(MPI_T_pvar_session_free(&two) == MPI_SUCCESS, "session", "free");
    MPI_Win_free(&win);
    MPI_T_finalize();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
