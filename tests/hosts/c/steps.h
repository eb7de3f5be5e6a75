/* The records of monitoring for each step of a program, to compare one monitoring implementation with another.
 *
 * Without the environment variable STEPS, it has no effect. With it, DIRECTORY/steps.<rank> has a line for each row that
 * changed in a step:
 *
 *     <step> TAB <row> TAB <peer's rank in MPI_COMM_WORLD, or communicator's name> TAB <messages> TAB <bytes>
 *
 * Rows are those of the monitoring files. O2A, A2O and A2A are of the one watched communicator. A line `unseen TAB <row>`
 * means that there is no variable for a row, because the library underneath is initialized and hides it. */
#ifndef STEPS_H
#define STEPS_H

#include "require.h"

#include <stdarg.h>
#include <string.h>

enum { STEPS_MOST = 64 };

static const struct steps_row {
    const char *row, *messages, *bytes;
    int of_world;
} STEPS_ROWS[] = {
    {"E", "pml_monitoring_messages_count", "pml_monitoring_messages_size", 1},
    {"S", "osc_monitoring_messages_sent_count", "osc_monitoring_messages_sent_size", 1},
    {"R", "osc_monitoring_messages_recv_count", "osc_monitoring_messages_recv_size", 1},
    {"C", "coll_monitoring_messages_count", "coll_monitoring_messages_size", 1},
    {"O2A", "coll_monitoring_o2a_count", "coll_monitoring_o2a_size", 0},
    {"A2O", "coll_monitoring_a2o_count", "coll_monitoring_a2o_size", 0},
    {"A2A", "coll_monitoring_a2a_count", "coll_monitoring_a2a_size", 0},
};
enum { STEPS_KINDS = sizeof STEPS_ROWS / sizeof *STEPS_ROWS };

/* Two variables of one row: messages and bytes. */
static struct steps_watch {
    MPI_T_pvar_handle handles[2];
    int count;
    unsigned long long before[2][STEPS_MOST];
} steps_watches[STEPS_KINDS];
static MPI_T_pvar_session steps_session;
static FILE *steps_file;
/* The name of the watched communicator. */
static char steps_comm[MPI_MAX_OBJECT_NAME];

static void steps_read(int kind, unsigned long long values[2][STEPS_MOST])
{
    for (int i = 0; i < 2; i++)
        require_success(MPI_T_pvar_read(steps_session, steps_watches[kind].handles[i], values[i]), "read");
}

static void steps_watch(int kind, MPI_Comm comm)
{
    const struct steps_row *row = &STEPS_ROWS[kind];
    struct steps_watch *watch = &steps_watches[kind];
    const char *const names[2] = {row->messages, row->bytes};
    const int classes[2] = {row->of_world ? MPI_T_PVAR_CLASS_SIZE : MPI_T_PVAR_CLASS_COUNTER,
                            row->of_world ? MPI_T_PVAR_CLASS_SIZE : MPI_T_PVAR_CLASS_AGGREGATE};

    for (int i = 0; i < 2; i++) {
        int index;
        if (MPI_T_pvar_get_index(names[i], classes[i], &index) != MPI_SUCCESS) {
            fprintf(steps_file, "unseen\t%s\n", row->row);
            watch->count = 0;
            return;
        }
        require_success(MPI_T_pvar_handle_alloc(steps_session, index, &comm, &watch->handles[i], &watch->count), names[i]);
        require(watch->count <= STEPS_MOST, "too many processes");
        require_success(MPI_T_pvar_start(steps_session, watch->handles[i]), "start");
    }
    steps_read(kind, watch->before);
}

/* Call it after MPI_Init. */
static inline void steps_begin(const char *directory, int rank)
{
    char path[4096];
    int level;

    if (!getenv("STEPS"))
        return;
    snprintf(path, sizeof path, "%s/steps.%d", directory, rank);
    steps_file = fopen(path, "w");
    require(steps_file != NULL, path);
    require_success(MPI_T_init_thread(MPI_THREAD_SINGLE, &level), "MPI_T_init_thread");
    require_success(MPI_T_pvar_session_create(&steps_session), "session");
    for (int kind = 0; kind < STEPS_KINDS; kind++)
        steps_watch(kind, MPI_COMM_WORLD);
    strcpy(steps_comm, "MPI_COMM_WORLD");
}

/* Ends a step, which began at the end of the last one. Its name is formatted as by printf. */
__attribute__((format(printf, 1, 2))) static inline void step(const char *format, ...)
{
    unsigned long long now[2][STEPS_MOST];
    char name[256];
    va_list arguments;

    if (!steps_file)
        return;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    for (int kind = 0; kind < STEPS_KINDS; kind++) {
        struct steps_watch *watch = &steps_watches[kind];
        if (watch->count)
            steps_read(kind, now);
        for (int i = 0; i < watch->count; i++) {
            const unsigned long long messages = now[0][i] - watch->before[0][i], bytes = now[1][i] - watch->before[1][i];
            char peer[16];
            snprintf(peer, sizeof peer, "%d", i);
            if (messages || bytes)
                fprintf(steps_file, "%s\t%s\t%s\t%llu\t%llu\n", name, STEPS_ROWS[kind].row,
                        STEPS_ROWS[kind].of_world ? peer : steps_comm, messages, bytes);
            watch->before[0][i] = now[0][i];
            watch->before[1][i] = now[1][i];
        }
    }
}

/* Sets the communicator whose sums are watched from now on. */
static inline void steps_on(MPI_Comm comm)
{
    if (!steps_file)
        return;
    for (int kind = 0; kind < STEPS_KINDS; kind++)
        if (!STEPS_ROWS[kind].of_world) {
            /* A handle is freed as it runs: stopping one would end Open MPI's own monitoring for good. */
            for (int i = 0; i < 2; i++)
                require_success(MPI_T_pvar_handle_free(steps_session, &steps_watches[kind].handles[i]), "free");
            steps_watch(kind, comm);
        }
    int length;
    MPI_Comm_get_name(comm, steps_comm, &length);
}

/* Call it before MPI_Finalize: Open MPI's own monitoring writes no file while the tools interface is in use. */
static inline void steps_end(void)
{
    if (!steps_file)
        return;
    step("rest");
    fclose(steps_file);
    require_success(MPI_T_pvar_session_free(&steps_session), "session");
    require_success(MPI_T_finalize(), "MPI_T_finalize");
}

#endif
