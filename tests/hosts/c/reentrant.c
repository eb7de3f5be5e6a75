/* Makes MPI calls in callbacks during MPI_Init, and finalizes the tools interface while a handle is started.
 *
 *     reentrant              (1 process, with the plug-in of the same name)
 *
 * Ends with 1 if a call fails; hangs if calls wait for each other. */
#include "checks.h"
#include <pthread.h>

static int created;

/* On both communicators, including that of the callback. */
static void *send(void *nothing)
{
    int value = 1, received;

    MPI_Sendrecv(&value, 1, MPI_INT, 0, 7, &received, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 7, &received, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return nothing;
}

EVENT_CALLBACK(on_created)
{
    pthread_t thread;

    if (created++ == 0) {
        send(NULL);
        check(pthread_create(&thread, NULL, send, NULL) == 0 && pthread_join(thread, NULL) == 0, "thread");
    }
}

int main(int argc, char **argv)
{
    int provided;

    check(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS, "MPI_T_init_thread");
    listen_to(event_named("comm_created"), NULL, MPI_T_CB_REQUIRE_NONE, on_created, NULL);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    send(NULL);
    check(created >= 2, "not all communicators were reported");

    check(MPI_T_pvar_session_create(&session) == MPI_SUCCESS, "session");
    started(session, "reentrant_value", MPI_T_PVAR_CLASS_SIZE, NULL, 1);
    check(MPI_T_finalize() == MPI_SUCCESS, "MPI_T_finalize");
    MPI_Finalize();
    puts("done");
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
