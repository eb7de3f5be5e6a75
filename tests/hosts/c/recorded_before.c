/* Sends whose errors end the program are recorded before they are forwarded, others after they have succeeded. A callback shows
 * the time: it runs before or after the receiver has seen a synchronous send.
 *
 *     recorded_before DIRECTORY        (2 processes)
 */
#define _GNU_SOURCE
#include "checks.h"
#include "library_functions.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 4 };

/* In memory of both processes: nonzero once the receiver has seen the present message. */
static volatile int *is_seen;
static int received, seen_by_callback;

EVENT_CALLBACK(on_message)
{
    received++;
    seen_by_callback = *is_seen;
}

/* Sends messages; the first ones of a communicator are never recorded in advance, and neither are those after calls on one that shares its
 * slot in the cache of recent communicators. So all calls are on `comm`. */
static void send_all(MPI_Comm comm, int event, int is_after, const char *what)
{
    MPI_T_event_registration registration;
    int value = 0;

    if (rank == 0) {
        check(MPI_T_event_handle_alloc(event, &comm, MPI_INFO_NULL, &registration) == MPI_SUCCESS, "alloc");
        check(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_message) ==
              MPI_SUCCESS, "callback");
    }
    for (int round = 0; round < ROUNDS; round++) {
        *is_seen = 0;
        received = 0;
        MPI_Barrier(comm);
        if (rank == 0) {
            MPI_Ssend(&value, 1, MPI_INT, 1, 7, comm);
            check(received == 1, "one event for each message");
            if (round > 1)
                check(seen_by_callback == is_after, what);
        } else {
            MPI_Probe(0, 7, comm, MPI_STATUS_IGNORE);
            *is_seen = 1;
            MPI_Recv(&value, 1, MPI_INT, 0, 7, comm, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(comm);
    }
    if (rank == 0)
        MPI_T_event_handle_free(registration, NULL, NULL);
}

int main(int argc, char **argv)
{
    char path[4096];
    int provided, event, file;
    MPI_Comm fatal, returning;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s/is_seen", argv[1]);
    file = open(path, O_RDWR | O_CREAT, 0600);
    require(file >= 0 && ftruncate(file, sizeof(int)) == 0, path);
    is_seen = (volatile int *)mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    require((void *)is_seen != MAP_FAILED, path);
    check(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS, "init");
    event = event_named("pml_message_sent");
    MPI_Comm_dup(MPI_COMM_WORLD, &fatal);
    MPI_Comm_dup(MPI_COMM_WORLD, &returning);
    let_errors_return_unseen(returning);
    send_all(fatal, event, 0, "a send whose error ends the program is recorded before");
    send_all(returning, event, 1, "a send whose error returns is recorded after");
    send_all(fatal, event, 0, "a handler of another communicator does not matter");
    MPI_Comm_free(&fatal);
    MPI_Comm_free(&returning);
    MPI_T_finalize();
    MPI_Finalize();
    return failures != 0;
}
