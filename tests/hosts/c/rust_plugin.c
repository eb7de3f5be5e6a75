/* A tool in a process with the plug-in `every` (tests/plugins/rust): its variables, settings, events and components are used
 * like those of a library. Prints a line for each failure.
 *
 * Two processes or more, with MPIT_EVERY_LIMIT=7 in the environment. With an argument, several threads of each process may
 * communicate at once. */
#include "checks.h"

typedef unsigned long long word;

enum { MESSAGES = 5, BYTES = 24, MANY = 64 };

static int received;

static word *values(MPI_T_pvar_handle handle)
{
    static word read[MANY];
    memset(read, 0, sizeof read);
    check(MPI_T_pvar_read(session, handle, read) == MPI_SUCCESS, "reading");
    return read;
}

static void write_setting(const char *name, int value, int expected)
{
    int was = 0;
    MPI_T_cvar_handle handle = setting(name);
    check(MPI_T_cvar_read(handle, &was) == MPI_SUCCESS, name);
    if (!strcmp(name, "every_limit") && value == 11)
        check(was == 7, "a setting from the environment");
    check((MPI_T_cvar_write(handle, &value) == MPI_SUCCESS) == expected, name);
    MPI_T_cvar_handle_free(&handle);
}

static void steps(int count)
{
    write_setting("every_step", count, 1);
}

/* The payload of a step: the steps left, a letter, a share, a large number. */
EVENT_CALLBACK(on_step)
{
    struct {
        int left;
        char letter;
        double share;
        word large;
    } whole;
    int *left = user_data;
    double share = 0;
    check(safety == MPI_T_CB_REQUIRE_MPI_RESTRICTED, "what callbacks must be fit for");
    memset(&whole, 0, sizeof whole);
    check(MPI_T_event_copy(instance, &whole) == MPI_SUCCESS, "the whole event");
    check(whole.left == --*left && whole.letter == 'e' && whole.share == 0.5, "elements");
    check(whole.large == (word)-1 - (word)whole.left, "a large element");
    check(MPI_T_event_read(instance, 2, &share) == MPI_SUCCESS && share == 0.5, "one element");
    received++;
}

static void try_events(void)
{
    int left = 3;
    MPI_T_event_registration registration =
        listen_to(event_named("every_stepped"), NULL, MPI_T_CB_REQUIRE_MPI_RESTRICTED, on_step, &left);
    steps(3);
    check(received == 3, "each step is received");
    check(MPI_T_event_handle_free(registration, NULL, NULL) == MPI_SUCCESS, "the end of it");
    steps(1);
    check(received == 3, "nothing after the end");
}

/* Checks the plug-in's thread level; it was loaded before MPI was initialized. */
static void try_threads(void)
{
    MPI_T_pvar_handle concurrent = running(session, "every_concurrent", MPI_T_PVAR_CLASS_SIZE, NULL, 1);
    int provided = -1;
    MPI_Query_thread(&provided);
    check(values(concurrent)[0] == (provided == MPI_THREAD_MULTIPLE), "whether several threads may communicate at once");
}

/* A communicator in the reverse order of the world: rank 0 of it is the last process. */
static void try_bindings(void)
{
    MPI_Comm reverse;
    MPI_T_pvar_handle ranks, peers;
    unsigned numbers[MANY];
    int at;
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reverse);
    ranks = running(session, "every_ranks", MPI_T_PVAR_CLASS_SIZE, &reverse, 2 * size);
    peers = running(session, "every_peers", MPI_T_PVAR_CLASS_SIZE, &reverse, size);
    steps(10);
    check(MPI_T_pvar_read(session, ranks, numbers) == MPI_SUCCESS, "ranks");
    for (at = 0; at < 2 * size; at++)
        check(numbers[at] == (unsigned)(size - 1 - at / 2), "a rank in the world");
    for (at = 0; at < size; at++)
        check(values(peers)[at] == (word)10 * (size - at), "what was done for a process");
    MPI_Comm_free(&reverse);
    check(values(peers)[0] == (word)10 * size, "readable when the communicator is freed");
}

/* `sent` and the other functions of components. */
static void try_traffic(void)
{
    static char out[BYTES], in[BYTES];
    MPI_T_pvar_handle operations = running(session, "every_operations", MPI_T_PVAR_CLASS_GENERIC, NULL, 4);
    MPI_T_pvar_handle messages = running(session, "every_messages", MPI_T_PVAR_CLASS_GENERIC, NULL, 2);
    MPI_T_pvar_handle accesses = running(session, "every_accesses", MPI_T_PVAR_CLASS_GENERIC, NULL, 2);
    MPI_T_pvar_handle worlds = running(session, "every_worlds", MPI_T_PVAR_CLASS_SIZE, NULL, 1);
    word before[4];
    MPI_Win window;
    int at, number = rank;
    check(values(worlds)[0] == (word)3 * size, "each component was opened once");
    for (at = 0; at < MESSAGES; at++)
        MPI_Sendrecv(out, BYTES, MPI_BYTE, (rank + 1) % size, 1, in, BYTES, MPI_BYTE, (rank + size - 1) % size, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(values(messages)[0] == MESSAGES && values(messages)[1] == MESSAGES * BYTES, "messages");
    memcpy(before, values(operations), sizeof before);
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    check(values(operations)[0] == before[0] + 1, "a collective operation");
    MPI_Win_create(in, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(out, BYTES, MPI_BYTE, (rank + 1) % size, 0, BYTES, MPI_BYTE, window);
    MPI_Win_fence(0, window);
    check(values(accesses)[0] == 1 && values(accesses)[1] == BYTES, "an access");
    MPI_Win_free(&window);

    /* Without a started handle, the component does not listen. */
    check(MPI_T_pvar_stop(session, messages) == MPI_SUCCESS, "stopping");
    MPI_Sendrecv(out, 1, MPI_BYTE, rank, 1, in, 1, MPI_BYTE, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(MPI_T_pvar_start(session, messages) == MPI_SUCCESS && values(messages)[0] == MESSAGES, "nothing is received");
}

int main(int argc, char **argv)
{
    int provided, wanted = argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    check(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS, "the interface");
    MPI_T_pvar_session_create(&session);
    write_setting("every_switch", 0, 1);
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    write_setting("every_switch", 1, 0);
    write_setting("every_limit", 11, 0);
    try_threads();
    try_bindings();
    try_events();
    try_traffic();
    printf("rank %d: received %d steps, %d failures\n", rank, received, failures);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    return failures != 0;
}
