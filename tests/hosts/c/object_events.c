/* Communicators and windows are created and freed while a tool has registered for events, which must be delivered once each. A
 * registration and a handle that are bound to a window must receive only its accesses. The callback of a new communicator
 * allocates handles.
 *
 *     object_events    (2 processes)
 *
 * Prints a line for each failure. */
#include "checks.h"

enum { EVENTS = 4 };

static const char *const names[EVENTS] = {"comm_created", "comm_freed", "win_created", "win_freed"};
static int received[EVENTS], accesses;
static unsigned long long numbers[EVENTS], accessed;
static MPI_Comm comm_to_bind = MPI_COMM_NULL;

/* Allocates a handle that is bound to a communicator, and frees it; returns the first code. */
static int bind(MPI_Comm comm)
{
    int index = pvar_named("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE), count;
    MPI_T_pvar_handle handle;
    const int code = MPI_T_pvar_handle_alloc(session, index, &comm, &handle, &count);
    if (code == MPI_SUCCESS)
        MPI_T_pvar_handle_free(session, &handle);
    return code;
}

EVENT_CALLBACK(on_event)
{
    int which = (int)((const char *const *)user_data - names);
    received[which]++;
    MPI_T_event_read(instance, 0, &numbers[which]);
    if (which != 0)
        return;
    check(bind(MPI_COMM_WORLD) == MPI_SUCCESS, "a handle in the callback");
    /* A communicator that is being registered is not known yet: an error is permitted. */
    if (comm_to_bind != MPI_COMM_NULL)
        bind(comm_to_bind);
}

EVENT_CALLBACK(on_access)
{
    accesses++;
    MPI_T_event_read(instance, 0, &accessed);
}

static void expect(int comms_made, int comms_freed, const char *what)
{
    char text[160];
    snprintf(text, sizeof text, "%s: %d created and %d freed, should be %d and %d", what, received[0], received[1], comms_made,
             comms_freed);
    check(received[0] == comms_made && received[1] == comms_freed, text);
}

/* A registration on a window, and a total of its accesses. */
static void of_windows(void)
{
    static int memory[8];
    MPI_Win first, win;
    MPI_T_event_registration registration;
    MPI_T_pvar_handle handles[3];
    unsigned long long total = 99, before = 0;
    int round, put;
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &first);
    for (round = 0; round < 3; round++) {
        MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        check(received[2] == round + 2 && numbers[2] != before, "each window has a number of its own");
        before = numbers[2];
        accesses = 0;
        registration = listen_to(event_named("osc_accessed"), &win, MPI_T_CB_REQUIRE_NONE, on_access, NULL);
        handles[round] = started(session, "osc_monitoring_window_messages_sent_total", MPI_T_PVAR_CLASS_COUNTER, &win, 1);
        MPI_Win_fence(0, first);
        MPI_Win_fence(0, win);
        MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, first);
        MPI_Put(&rank, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, win);
        MPI_Put(&rank, 1, MPI_INT, 1 - rank, 2, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        MPI_Win_fence(0, first);
        check(accesses == 2 && accessed == before, "a registration on a window receives its accesses, by the same number");
        check(MPI_T_pvar_read(session, handles[round], &total) == MPI_SUCCESS && total == 2, "the total of a window");
        MPI_T_event_handle_free(registration, NULL, NULL);
        MPI_Win_fence(0, first);
        MPI_Win_fence(0, win);
        MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, first);
        for (put = 1; put <= 3; put++)
            MPI_Put(&rank, 1, MPI_INT, 1 - rank, put, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        MPI_Win_fence(0, first);
        check(accesses == 2 && MPI_T_pvar_read(session, handles[round], &total) == MPI_SUCCESS && total == 5,
              "the total of a window without a registration");
        MPI_Win_free(&win);
        check(received[3] == round + 1 && numbers[3] == before, "the end of a window");
    }
    MPI_Win_free(&first);
    for (round = 0; round < 3; round++) {
        check(MPI_T_pvar_read(session, handles[round], &total) == MPI_SUCCESS && total == 5, "the total of a freed window");
        MPI_T_pvar_handle_free(session, &handles[round]);
    }
}

int main(int argc, char **argv)
{
    int index, dimensions = 2, periodic = 0, which, in;
    MPI_T_event_registration registrations[EVENTS];
    MPI_Comm comms[5], old;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &old);
    start_tool();
    for (which = 0; which < EVENTS; which++)
        registrations[which] = listen_to(event_named(names[which]), NULL, MPI_T_CB_REQUIRE_NONE, on_event, (void *)&names[which]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &comms[1]);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &dimensions, &periodic, 0, &comms[2]);
    expect(3, 0, "each is reported when it is made");
    /* Made by a call that is not interposed: one is reported when a handle is bound to it, the other when it is freed. */
    for (index = 3; index < 5; index++) {
        MPI_Comm_idup(MPI_COMM_WORLD, &comms[index], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    comm_to_bind = comms[3];
    check(bind(comm_to_bind) == MPI_SUCCESS, "a handle on a communicator that was not reported yet");
    expect(4, 0, "a communicator is reported when a handle is bound to it");
    MPI_Sendrecv(&rank, 1, MPI_INT, MPI_PROC_NULL, 7, &in, 1, MPI_INT, MPI_PROC_NULL, 7, comm_to_bind, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comms[3]);
    comm_to_bind = MPI_COMM_NULL;
    for (index = 0; index < 5; index++)
        if (index != 3)
            MPI_Comm_free(&comms[index]);
    expect(5, 5, "each is reported when it is freed");
    MPI_Comm_free(&old);
    expect(6, 6, "also one that was made before there was a listener");
    of_windows();
    for (which = 0; which < EVENTS; which++)
        MPI_T_event_handle_free(registrations[which], NULL, NULL);
    return end_tool();
}
