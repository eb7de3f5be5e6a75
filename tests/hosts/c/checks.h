/* Checks of programs that are tools. */
#ifndef CHECKS_H
#define CHECKS_H

#include "mpit.h"
#include "require.h"

#include <string.h>

static int rank, size, failures;
static MPI_T_pvar_session session;

/* Prints a line for a failed check, and counts it. */
static inline void check(int right, const char *what)
{
    if (!right) {
        printf("rank %d: FAIL %s\n", rank, what);
        fflush(stdout);
        failures++;
    }
}

/* Initializes the tools interface after MPI, and creates the session. */
static inline void start_tool(void)
{
    int provided;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS, "R19 init");
    check(MPI_T_pvar_session_create(&session) == MPI_SUCCESS, "session");
}

/* Frees the session, ends both interfaces, and prints the number of failures; returns the exit status. */
static inline int end_tool(void)
{
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    printf("rank %d: %d failures\n", rank, failures);
    return failures != 0;
}

/* The head of a callback for events. */
#define EVENT_CALLBACK(name)                                                                              \
    static void name(MPI_T_event_instance instance, MPI_T_event_registration registration,                \
                     MPI_T_cb_safety safety, void *user_data)

static inline int pvar_named(const char *name, int class)
{
    int index = -1;
    check(MPI_T_pvar_get_index(name, class, &index) == MPI_SUCCESS, name);
    return index;
}

static inline int event_named(const char *name)
{
    int index = -1;
    check(MPI_T_event_get_index(name, &index) == MPI_SUCCESS, name);
    return index;
}

/* Returns a handle of a variable, which must have this number of elements. */
static inline MPI_T_pvar_handle handle_on(MPI_T_pvar_session in, const char *name, int class, void *object, int elements)
{
    int count = -1;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    check(MPI_T_pvar_handle_alloc(in, pvar_named(name, class), object, &handle, &count) == MPI_SUCCESS, name);
    check(count == elements, name);
    return handle;
}

/* Returns a started handle of a variable, as `handle_on` does. */
static inline MPI_T_pvar_handle started(MPI_T_pvar_session in, const char *name, int class, void *object, int elements)
{
    MPI_T_pvar_handle handle = handle_on(in, name, class, object, elements);
    check(MPI_T_pvar_start(in, handle) == MPI_SUCCESS, name);
    return handle;
}

/* Returns a handle as `started` does, also for a variable that always runs, which cannot be started. */
static inline MPI_T_pvar_handle running(MPI_T_pvar_session in, const char *name, int class, void *object, int elements)
{
    int continuous = 0;
    MPI_T_pvar_get_info(pvar_named(name, class), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &continuous, NULL);
    return continuous ? handle_on(in, name, class, object, elements) : started(in, name, class, object, elements);
}

/* Returns a handle of a control variable. */
static inline MPI_T_cvar_handle setting(const char *name)
{
    int index = -1, count;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    check(MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS, name);
    check(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS, name);
    return handle;
}

/* Returns a registration for an event type, with a callback at a safety level if `function` is not null. */
static inline MPI_T_event_registration listen_to(int event, void *object, MPI_T_cb_safety level,
                                                 MPI_T_event_cb_function function, void *data)
{
    MPI_T_event_registration registration = NULL;
    check(MPI_T_event_handle_alloc(event, object, MPI_INFO_NULL, &registration) == MPI_SUCCESS, "R265 registration");
    if (function)
        check(MPI_T_event_register_callback(registration, level, MPI_INFO_NULL, data, function) == MPI_SUCCESS,
              "R248 callback");
    return registration;
}

#endif
