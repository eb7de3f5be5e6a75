/* Communicators and windows come and go while a tool listens and nothing is monitored: the tool is notified of each once.
 *
 *     comings    (2 processes)
 *
 * Prints a line for each thing that is not so. */
#include "mpit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 4 };

static const char *const names[EVENTS] = {"comm_created", "comm_freed", "win_created", "win_freed"};
static int heard[EVENTS], rank, failures;
static unsigned long long numbers[EVENTS];

static void check(int right, const char *what)
{
    if (!right) {
        printf("rank %d: FAIL %s\n", rank, what);
        failures++;
    }
}

static void on_event(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                     void *user_data)
{
    int which = (int)((const char *const *)user_data - names);
    (void)registration, (void)safety;
    heard[which]++;
    MPI_T_event_read(instance, 0, &numbers[which]);
}

static void expect(int comms_made, int comms_freed, const char *what)
{
    check(heard[0] == comms_made && heard[1] == comms_freed, what);
    if (heard[0] != comms_made || heard[1] != comms_freed)
        printf("rank %d: %d made and %d freed, should be %d and %d\n", rank, heard[0], heard[1], comms_made, comms_freed);
}

int main(int argc, char **argv)
{
    int provided, event, index, dimensions = 2, periodic = 0, which;
    MPI_T_event_registration registrations[EVENTS];
    MPI_Comm comms[4], old;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &old);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    for (which = 0; which < EVENTS; which++) {
        check(MPI_T_event_get_index(names[which], &event) == MPI_SUCCESS, names[which]);
        MPI_T_event_handle_alloc(event, NULL, MPI_INFO_NULL, &registrations[which]);
        MPI_T_event_register_callback(registrations[which], MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, (void *)&names[which],
                                      on_event);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &comms[1]);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &dimensions, &periodic, 0, &comms[2]);
    expect(3, 0, "each is told when it is made");
    MPI_Comm_idup(MPI_COMM_WORLD, &comms[3], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (index = 0; index < 4; index++)
        MPI_Comm_free(&comms[index]);
    expect(4, 4, "each is told when it is freed");
    MPI_Comm_free(&old);
    expect(5, 5, "also one that was made before anybody listened");
    {
        static int memory[8];
        MPI_Win win[2];
        MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win[0]);
        MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win[1]);
        MPI_Win_free(&win[0]);
        check(heard[2] == 2 && heard[3] == 1 && numbers[3] != numbers[2], "the end of a window");
        MPI_Win_free(&win[1]);
        check(heard[3] == 2 && numbers[3] == numbers[2], "the end of the other");
    }
    for (which = 0; which < EVENTS; which++)
        MPI_T_event_handle_free(registrations[which], NULL, NULL);
    MPI_T_finalize();
    MPI_Finalize();
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
