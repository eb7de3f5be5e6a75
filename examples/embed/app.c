/* A program of that library, and the tool in it. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

static void must(int code, const char *what)
{
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, code);
        exit(EXIT_FAILURE);
    }
}

static MPI_T_pvar_handle handle(MPI_T_pvar_session session, const char *name, int class)
{
    MPI_T_pvar_handle handle;
    int index, count;
    must(MPI_T_pvar_get_index(name, class, &index), name);
    must(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count), name);
    must(MPI_T_pvar_start(session, handle), name);
    return handle;
}

static unsigned long long value(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    unsigned long long value;
    must(MPI_T_pvar_read(session, handle, &value), "MPI_T_pvar_read");
    return value;
}

static void on_drop(MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety safety, void *user_data)
{
    int tag;
    unsigned bytes;
    (void)registration, (void)safety, (void)user_data;
    must(MPI_T_event_read(event, 0, &tag), "tag");
    must(MPI_T_event_read(event, 1, &bytes), "bytes");
    printf("dropped: %u bytes with tag %d\n", bytes, tag);
}

int main(int argc, char **argv)
{
    int provided, event;
    char text[100] = "hello";
    MPI_T_pvar_session session;
    MPI_T_event_registration registration;
    must(MPI_Init(&argc, &argv), "MPI_Init");
    must(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), "MPI_T_init_thread");
    must(MPI_T_pvar_session_create(&session), "session");
    MPI_T_pvar_handle sends = handle(session, "mympi_sends", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle most = handle(session, "mympi_waiting", MPI_T_PVAR_CLASS_HIGHWATERMARK);
    must(MPI_T_event_get_index("mympi_dropped", &event), "event");
    must(MPI_T_event_handle_alloc(event, NULL, MPI_INFO_NULL, &registration), "registration");
    must(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_drop), "callback");

    for (int tag = 0; tag < 3; tag++)
        MPI_Send(text, 10 + 40 * tag, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
    MPI_Recv(text, 10, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    printf("%llu messages sent, at most %llu waited\n", value(session, sends), value(session, most));
    must(MPI_T_pvar_session_free(&session), "session");
    must(MPI_T_finalize(), "MPI_T_finalize");
    return MPI_Finalize();
}
