/* Makes MPI calls in callbacks during MPI_Init, and finalizes the tools interface while a handle is started.
 *
 *     reentrant              (1 process, with the plug-in of the same name)
 *
 * Ends with 1 if a call fails; hangs if calls wait for each other. */
#include <mpit.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int created;

static void expect(int is_right, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "reentrant: %s\n", what);
        abort();
    }
}

/* On both communicators, including that of the callback. */
static void *send(void *nothing)
{
    int value = 1, received;

    MPI_Sendrecv(&value, 1, MPI_INT, 0, 7, &received, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 7, &received, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return nothing;
}

static void on_created(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                       void *data)
{
    pthread_t thread;

    (void)instance, (void)registration, (void)safety, (void)data;
    if (created++ == 0) {
        send(NULL);
        expect(pthread_create(&thread, NULL, send, NULL) == 0 && pthread_join(thread, NULL) == 0, "thread");
    }
}

int main(int argc, char **argv)
{
    int provided, index, count;
    MPI_T_event_registration registration;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;

    expect(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS, "MPI_T_init_thread");
    expect(MPI_T_event_get_index("comm_created", &index) == MPI_SUCCESS, "event");
    expect(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration) == MPI_SUCCESS, "event handle");
    expect(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_created)
               == MPI_SUCCESS,
           "callback");
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    send(NULL);
    expect(created >= 2, "not all communicators were reported");

    expect(MPI_T_pvar_session_create(&session) == MPI_SUCCESS, "session");
    expect(MPI_T_pvar_get_index("reentrant_value", MPI_T_PVAR_CLASS_SIZE, &index) == MPI_SUCCESS, "pvar");
    expect(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) == MPI_SUCCESS, "handle");
    expect(MPI_T_pvar_start(session, handle) == MPI_SUCCESS, "start");
    expect(MPI_T_finalize() == MPI_SUCCESS, "MPI_T_finalize");
    MPI_Finalize();
    puts("done");
    return EXIT_SUCCESS;
}
