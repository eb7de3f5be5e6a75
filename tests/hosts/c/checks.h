/* Checks of programs that are tools. */
#ifndef CHECKS_H
#define CHECKS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, failures;

/* Prints a line for a failed check, and counts it. */
static inline void check(int right, const char *what)
{
    if (!right) {
        printf("rank %d: FAIL %s\n", rank, what);
        failures++;
    }
}

/* Ends the job if a condition fails that the rest of the program needs. */
static inline void require(int right, const char *what)
{
    if (!right) {
        fprintf(stderr, "rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
}

/* The head of a callback for events. */
#define EVENT_CALLBACK(name)                                                                                          \
    static void name(__attribute__((unused)) MPI_T_event_instance instance,                                          \
                     __attribute__((unused)) MPI_T_event_registration registration,                                  \
                     __attribute__((unused)) MPI_T_cb_safety safety, __attribute__((unused)) void *user_data)

/* Returns a handle of a variable, which must have this number of elements. */
static inline MPI_T_pvar_handle handle_on(MPI_T_pvar_session session, const char *name, int class, void *object, int elements)
{
    int index = -1, count = -1;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    check(MPI_T_pvar_get_index(name, class, &index) == MPI_SUCCESS, name);
    check(MPI_T_pvar_handle_alloc(session, index, object, &handle, &count) == MPI_SUCCESS && count == elements, name);
    return handle;
}

#endif
