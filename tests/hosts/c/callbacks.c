/* Allocates handles for a communicator in the callback that reports its creation, and for every other communicator.
 *
 *     callbacks              (2 processes)
 *
 * Ends with 1 if a handle cannot be allocated, or if too few communicators are reported. */
#include "mpit.h"
#include "checks.h"
#include <stdio.h>
#include <stdlib.h>

static MPI_T_pvar_session session;
static MPI_Comm asked = MPI_COMM_NULL;
static int reported;

/* Allocates a handle bound to a communicator, and frees it. */
static int bind(MPI_Comm comm)
{
    int index, count;
    MPI_T_pvar_handle handle;

    require(MPI_T_pvar_get_index("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, &index) == MPI_SUCCESS, "name");
    const int error = MPI_T_pvar_handle_alloc(session, index, &comm, &handle, &count);
    if (error == MPI_SUCCESS)
        MPI_T_pvar_handle_free(session, &handle);
    return error;
}

static void on_created(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                       void *data)
{
    (void)instance, (void)registration, (void)safety, (void)data;
    reported++;
    if (asked != MPI_COMM_NULL)
        /* A communicator that is being registered is not known yet: an error is permitted. */
        bind(asked);
    bind(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int provided, index, send = 1, receive;
    MPI_T_event_registration registration;
    MPI_Comm twin;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    require(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS, "MPI_T_init_thread");
    require(MPI_T_pvar_session_create(&session) == MPI_SUCCESS, "session");
    require(MPI_T_event_get_index("comm_created", &index) == MPI_SUCCESS, "event");
    require(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration) == MPI_SUCCESS, "event handle");
    require(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_created)
              == MPI_SUCCESS,
          "callback");

    /* Created by a call that is not interposed, so it is registered when the handle is allocated. */
    MPI_Comm_idup(MPI_COMM_WORLD, &twin, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    asked = twin;
    require(bind(twin) == MPI_SUCCESS, "handle");
    require(reported == 1, "one communicator");
    MPI_Sendrecv(&send, 1, MPI_INT, MPI_PROC_NULL, 7, &receive, 1, MPI_INT, MPI_PROC_NULL, 7, twin, MPI_STATUS_IGNORE);
    MPI_Comm_free(&twin);
    asked = MPI_COMM_NULL;

    MPI_T_event_handle_free(registration, NULL, NULL);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
