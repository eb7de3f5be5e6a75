/* A tool inside the program that it measures: reads the point-to-point monitoring variables around two phases of the token
 * ring.
 *
 *     ring_tool STEM
 *
 * Two sessions have handles on the same variables, and start and stop them at different times:
 *
 *                  phase 1    phase 2    phase 3
 *     session a    counts     counts     stopped
 *     session b    stopped    counts     counts
 *
 * A third session flushes, which writes STEM_1.<rank>.prof and STEM_2.<rank>.prof for the first two phases.
 * Every check prints a line; the exit status is 0 if all of them passed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"

enum { LAPS = 25, LONG_LAPS = 40, MAX_RANKS = 64 };

static int rank, size, failures;

static void check(int good, const char *what)
{
    printf("rank %d: %s %s\n", rank, good ? "PASS" : "FAIL", what);
    fflush(stdout);
    failures += !good;
}

/* Aborts if a required call fails. */
static void require(int rc, const char *what)
{
    if (rc == MPI_SUCCESS)
        return;
    printf("rank %d: FAIL %s: error %d\n", rank, what, rc);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* A session with a handle on the count and one on the size of messages per peer of MPI_COMM_WORLD. */
struct view {
    const char *name;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle count, size;
};

static MPI_T_pvar_handle bind(MPI_T_pvar_session session, const char *variable)
{
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_T_pvar_handle handle;
    int index, elements = -1;
    require(MPI_T_pvar_get_index(variable, MPI_T_PVAR_CLASS_SIZE, &index), variable);
    require(MPI_T_pvar_handle_alloc(session, index, &world, &handle, &elements), variable);
    check(elements == size, "a handle on MPI_COMM_WORLD has one element per process");
    return handle;
}

static void open_view(struct view *view, const char *name)
{
    view->name = name;
    require(MPI_T_pvar_session_create(&view->session), "session");
    view->count = bind(view->session, "pml_monitoring_messages_count");
    view->size = bind(view->session, "pml_monitoring_messages_size");
}

/* Proves F15, F16, F17, F18, F19, F20, F21: the calls below, each checked by its effect on what is read. */
static void start(struct view *view)
{
    require(MPI_T_pvar_start(view->session, view->count), "start the count");
    require(MPI_T_pvar_start(view->session, view->size), "start the size");
}

static void stop(struct view *view)
{
    require(MPI_T_pvar_stop(view->session, view->count), "stop the count");
    require(MPI_T_pvar_stop(view->session, view->size), "stop the size");
}

static void close_view(struct view *view)
{
    require(MPI_T_pvar_handle_free(view->session, &view->count), "free the count");
    require(MPI_T_pvar_handle_free(view->session, &view->size), "free the size");
    require(MPI_T_pvar_session_free(&view->session), "free the session");
}

/* All `sent` messages went to the right neighbor, with one int each; nothing went to another process. */
static void expect(struct view *view, int sent, const char *when)
{
    unsigned long long count[MAX_RANKS], bytes[MAX_RANKS];
    char what[200];
    int wrong = 0;

    memset(count, 0xff, sizeof count);
    memset(bytes, 0xff, sizeof bytes);
    require(MPI_T_pvar_read(view->session, view->count, count), "read the count");
    require(MPI_T_pvar_read(view->session, view->size, bytes), "read the size");
    for (int peer = 0; peer < size; peer++) {
        unsigned long long want = peer == (rank + 1) % size ? (unsigned long long)sent : 0;
        wrong += count[peer] != want || bytes[peer] != want * sizeof(int);
    }
    const int right = (rank + 1) % size;
    snprintf(what, sizeof what, "session %s %s: %d messages to %d (read %llu, %llu bytes; %d peers wrong)", view->name,
             when, sent, right, count[right], bytes[right], wrong);
    check(wrong == 0, what);
}

/* The flush variable: starting it opens a phase, writing it names the file, stopping it writes the file. */
static MPI_T_pvar_session flush_session;
static MPI_T_pvar_handle flush_handle;

static void open_flush(void)
{
    int index, elements;
    require(MPI_T_pvar_get_index("pml_monitoring_flush", MPI_T_PVAR_CLASS_GENERIC, &index), "pml_monitoring_flush");
    require(MPI_T_pvar_session_create(&flush_session), "flush session");
    require(MPI_T_pvar_handle_alloc(flush_session, index, NULL, &flush_handle, &elements), "flush handle");
}

static void end_phase(const char *stem, int number)
{
    /* As long as any PATH_MAX: a library may read as many bytes as the length that it reports for the variable. */
    static char filename[8192];
    snprintf(filename, sizeof filename, "%s_%d", stem, number);
    require(MPI_T_pvar_write(flush_session, flush_handle, filename), "name the phase's file");
    require(MPI_T_pvar_stop(flush_session, flush_handle), "write the phase's file");

    size_t length = strlen(filename);
    snprintf(filename + length, sizeof filename - length, ".%d.prof", rank);
    FILE *file = fopen(filename, "r");
    check(file != NULL, "the phase's file is there as soon as the flush has stopped");
    if (file)
        fclose(file);
}

/* The names must belong to variables of the expected class. */
static void check_kind(const char *name, int class_wanted, int bind_wanted)
{
    char read_name[100];
    int index, class, verbosity, bound, readonly, continuous, atomic, length = sizeof read_name;
    MPI_Datatype type;
    MPI_T_enum values;
    require(MPI_T_pvar_get_index(name, class_wanted, &index), name);
    require(MPI_T_pvar_get_info(index, read_name, &length, &verbosity, &class, &type, &values, NULL, NULL, &bound,
                                &readonly, &continuous, &atomic),
            name);
    check(strcmp(name, read_name) == 0 && class == class_wanted && bound == bind_wanted, name);
}

int main(int argc, char **argv)
{
    struct view a, b;
    int provided, sent_1, sent_2;
    const char *stem = argc > 1 ? argv[1] : "phase";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2 || size > MAX_RANKS)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    require(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), "MPI_T_init_thread");

    check_kind("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, MPI_T_BIND_MPI_COMM);
    check_kind("pml_monitoring_messages_size", MPI_T_PVAR_CLASS_SIZE, MPI_T_BIND_MPI_COMM);
    check_kind("pml_monitoring_flush", MPI_T_PVAR_CLASS_GENERIC, MPI_T_BIND_NO_OBJECT);

    ring_run(3); /* Before any handle exists: no handle may count these messages below. */
    open_view(&a, "a");
    open_view(&b, "b");
    open_flush();
    expect(&a, 0, "before its first start");
    expect(&b, 0, "before its first start");

    require(MPI_T_pvar_start(flush_session, flush_handle), "start the first phase");
    start(&a);
    sent_1 = ring_run(LAPS);
    expect(&a, sent_1, "after phase 1");
    expect(&b, 0, "never started, after phase 1");
    end_phase(stem, 1);

    /* Proves R194: the sessions do not affect each other. */
    require(MPI_T_pvar_start(flush_session, flush_handle), "start the second phase");
    start(&b);
    expect(&a, sent_1, "after a flush and the start of b");
    expect(&b, 0, "at its first start");
    sent_2 = ring_run(LONG_LAPS);
    expect(&a, sent_1 + sent_2, "after phase 2");
    expect(&b, sent_2, "after phase 2");
    end_phase(stem, 2);

    stop(&a);
    expect(&b, sent_2, "after the stop of a");
    sent_1 += sent_2;
    sent_2 += ring_run(LAPS);
    expect(&a, sent_1, "stopped during phase 3");
    expect(&b, sent_2, "after phase 3");

    start(&a);
    expect(&a, sent_1, "just started again");
    int sent_4 = ring_run(LAPS);
    sent_1 += sent_4;
    sent_2 += sent_4;
    expect(&a, sent_1, "going on after its second start");
    expect(&b, sent_2, "after the second start of a");

    close_view(&a);
    require(MPI_T_pvar_handle_free(flush_session, &flush_handle), "free the flush handle");
    require(MPI_T_pvar_session_free(&flush_session), "free the flush session");
    sent_2 += ring_run(1);
    expect(&b, sent_2, "after a is gone");
    close_view(&b);

    require(MPI_T_finalize(), "MPI_T_finalize");
    MPI_Finalize();
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
