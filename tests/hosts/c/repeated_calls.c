/* Equal calls whose meaning changes between them: handles that are reused for other objects, a listener for times that comes and
 * goes, a pause. Each call is made several times, so that the later ones are counted like the first.
 *
 *     repeated_calls DIRECTORY (3 processes)
 */
#include "expected_rows.h"

enum { PROCESSES = 3, TIMES = 4, ROUNDS = 20, MOST = 64 };

static int out[MOST], in[MOST];

/* Sends TIMES messages to a rank of a communicator, and receives as many; the receiver has this rank in the world. */
static void send(int to, int from, int count, MPI_Datatype type, MPI_Comm comm, int peer, long bytes)
{
    for (int i = 0; i < TIMES; i++) {
        MPI_Request requests[2];
        MPI_Irecv(in, count, type, from, 7, comm, &requests[0]);
        MPI_Isend(out, count, type, to, 7, comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    if (peer >= 0)
        expect("E", peer, TIMES, TIMES * bytes);
}

/* A communicator and a type, with the handles of earlier ones if the library reuses them. Every other time the ranks are in
 * reverse order; the type has another size each time. */
static void round_of_calls(int number)
{
    const int reversed = number % 2, elements = number % 5 + 1, root = number % PROCESSES;
    const long bytes = elements * INT;
    MPI_Comm comm;
    MPI_Datatype type;
    char name[32];
    int rank, to;

    MPI_Comm_split(MPI_COMM_WORLD, 0, reversed ? -world_rank : world_rank, &comm);
    snprintf(name, sizeof name, "round_%d", number);
    MPI_Comm_set_name(comm, name);
    MPI_Type_contiguous(elements, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Comm_rank(comm, &rank);
    to = (rank + 1) % PROCESSES;
    send(to, (rank + PROCESSES - 1) % PROCESSES, 2, type, comm, reversed ? PROCESSES - 1 - to : to, 2 * bytes);
    send(MPI_PROC_NULL, MPI_PROC_NULL, 2, type, comm, -1, 0);
    for (int i = 0; i < TIMES; i++)
        MPI_Bcast(out, 3, type, root, comm);
    if (rank == root)
        expect_collective("O2A", name, TIMES, 3 * bytes);
    for (int i = 0; i < TIMES; i++)
        MPI_Allreduce(MPI_IN_PLACE, out, elements, MPI_INT, MPI_SUM, comm);
    expect_collective("A2A", name, TIMES, bytes);
    for (int i = 0; i < TIMES; i++)
        MPI_Gather(out, 1, type, in, 1, type, root, comm);
    if (rank == root)
        expect_collective("A2O", name, TIMES, bytes);
    for (int i = 0; i < TIMES; i++)
        MPI_Barrier(comm);
    expect_collective("A2A", name, TIMES, 0);
    for (int i = 0; i < TIMES; i++) {
        MPI_Request request;
        MPI_Iallreduce(out, in, elements, MPI_INT, MPI_SUM, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    expect_collective("A2A", name, TIMES, bytes);
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
}

/* Messages of sizes in different bins, by one count and type. */
static void sizes(void)
{
    const int to = (world_rank + 1) % PROCESSES, from = (world_rank + PROCESSES - 1) % PROCESSES;
    for (int count = 0; count <= MOST; count = count ? 2 * count : 1)
        send(to, from, count, MPI_INT, MPI_COMM_WORLD, to, count * INT);
}

/* Equal messages and operations, recorded or not. */
static void traffic(int recorded)
{
    const int to = (world_rank + 1) % PROCESSES, from = (world_rank + PROCESSES - 1) % PROCESSES;
    send(to, from, 1, MPI_INT, MPI_COMM_WORLD, recorded ? to : -1, INT);
    for (int i = 0; i < TIMES; i++)
        MPI_Allreduce(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (recorded)
        expect_collective("A2A", "MPI_COMM_WORLD", TIMES, 2 * INT);
}

/* Starts a persistent message before and after its communicator is freed, whose place another one takes. */
static void starts_after_free(void)
{
    const int to = (world_rank + 1) % PROCESSES, from = (world_rank + PROCESSES - 1) % PROCESSES;
    MPI_Comm comm, reversed;
    MPI_Request requests[2];

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Recv_init(in, 3, MPI_INT, from, 8, comm, &requests[0]);
    MPI_Send_init(out, 3, MPI_INT, to, 8, comm, &requests[1]);
    for (int i = 0; i < 2 * TIMES; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (i == TIMES) {
            MPI_Comm_free(&comm);
            MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &reversed);
            /* The rank here is PROCESSES - 1 - world_rank. */
            send(PROCESSES - 1 - to, PROCESSES - 1 - from, 1, MPI_INT, reversed, to, INT);
        }
    }
    expect("E", to, 2 * TIMES, 2 * TIMES * 3 * INT);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Comm_free(&reversed);
}

static MPI_T_pvar_handle counter(MPI_T_pvar_session session, const char *name)
{
    int index, count;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    require(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS, name);
    require(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) == MPI_SUCCESS, name);
    return handle;
}

/* Starts and stops handles of the number of calls, and pauses recording, between equal calls. */
static void listeners(void)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handles[2];
    unsigned long long calls[2] = { 0, 0 };
    int level;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    require(MPI_T_pvar_session_create(&session) == MPI_SUCCESS, "session");
    handles[0] = counter(session, "calls_p2p_count");
    handles[1] = counter(session, "calls_coll_count");
    traffic(1);
    require(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS, "start");
    traffic(1);
    require(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS, "stop");
    traffic(1);
    for (int i = 0; i < 2; i++)
        require(MPI_T_pvar_read(session, handles[i], &calls[i]) == MPI_SUCCESS, "read");
    /* Each message is a call that receives and one that sends. */
    require(calls[0] == 2 * TIMES, "the messages while the handles were started");
    require(calls[1] == TIMES, "the operations while the handles were started");
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Pcontrol(0);
    traffic(0);
    MPI_Pcontrol(1);
    traffic(1);
}

int main(int argc, char **argv)
{
    open_expected_rows(&argc, &argv, PROCESSES);
    for (int number = 0; number < ROUNDS; number++)
        round_of_calls(number);
    sizes();
    starts_after_free();
    listeners();
    return close_expected_rows();
}
