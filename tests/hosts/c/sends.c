/* Sends by every function of MPI, with its expected rows.
 *
 *     sends DIRECTORY [plain]    (4 processes)
 *
 * With `plain`, without persistent requests, whose messages Open MPI's own monitoring does not count: such a request starts
 * itself by a function of the transport, which does not call the component that counts.
 *
 * Sends to MPI_PROC_NULL are not expected, because no data is sent. Each kind has its own message size, so that a wrong total
 * shows which kind was missed. */
#include "expected_rows.h"

#include <stddef.h>

#if MPI_VERSION >= 4
#define HAVE_LARGE_COUNT 1
#define HAVE_ISENDRECV 1
#elif defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#define HAVE_ISENDRECV 1
#endif

enum { PROCESSES = 4, TAG = 7, MAX_BYTES = 8192 };

static int right, left, plain;
static char out[MAX_BYTES], in[MAX_BYTES], attached[4 * MAX_BYTES + 16 * MPI_BSEND_OVERHEAD];

static void expect_row(const char *kind, int peer, int messages, long bytes)
{
    expect("E", peer, messages, bytes);
    step("%s", kind);
}

/* Ensures that all receives are posted, as sends in ready mode require. */
static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    expect_collective("A2A", "MPI_COMM_WORLD", 1, 0);
}

typedef int send_function(const void *, int, MPI_Datatype, int, int, MPI_Comm);

/* Sends one message to process `dest` of a communicator, `peer` of the world, and receives one. */
static void pass_in(MPI_Comm comm, int dest, int peer, const char *kind, send_function *send, int count, MPI_Datatype type,
                    long bytes)
{
    MPI_Request request;

    /* Small enough for buffering in all libraries, but that is not guaranteed: the receive is posted first. */
    MPI_Irecv(in, MAX_BYTES, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, &request);
    if (send == MPI_Rsend)
        barrier();
    send(out, count, type, dest, TAG, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_row(kind, peer, 1, bytes);
}

/* Each process sends to its right neighbor. */
static void pass(const char *kind, send_function *send, int count, MPI_Datatype type, long bytes)
{
    pass_in(MPI_COMM_WORLD, right, right, kind, send, count, type, bytes);
}

static void blocking(void)
{
    pass("send", MPI_Send, 1, MPI_BYTE, 1);
    pass("ssend", MPI_Ssend, 2, MPI_BYTE, 2);
    pass("bsend", MPI_Bsend, 4, MPI_BYTE, 4);
    pass("rsend", MPI_Rsend, 8, MPI_BYTE, 8);
    /* An empty message, and one that is too large for the eager protocol of any library. */
    pass("send_empty", MPI_Send, 0, MPI_BYTE, 0);
    pass("send_big", MPI_Send, MAX_BYTES - 1, MPI_BYTE, MAX_BYTES - 1);
}

static void nonblocking(void)
{
    MPI_Request requests[8];
    for (int i = 0; i < 4; i++)
        MPI_Irecv(in + 1024 * i, 1024, MPI_BYTE, left, TAG + i, MPI_COMM_WORLD, &requests[i]);
    barrier();
    MPI_Isend(out, 16, MPI_BYTE, right, TAG, MPI_COMM_WORLD, &requests[4]);
    MPI_Issend(out, 32, MPI_BYTE, right, TAG + 1, MPI_COMM_WORLD, &requests[5]);
    MPI_Ibsend(out, 64, MPI_BYTE, right, TAG + 2, MPI_COMM_WORLD, &requests[6]);
    MPI_Irsend(out, 128, MPI_BYTE, right, TAG + 3, MPI_COMM_WORLD, &requests[7]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    expect_row("isend", right, 1, 16);
    expect_row("issend", right, 1, 32);
    expect_row("ibsend", right, 1, 64);
    expect_row("irsend", right, 1, 128);
}

static void both_ways(void)
{
    MPI_Sendrecv(out, 5, MPI_INT, right, TAG, in, MAX_BYTES, MPI_BYTE, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect_row("sendrecv", right, 1, 5 * INT);
    MPI_Sendrecv_replace(in, 7, MPI_INT, right, TAG, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect_row("sendrecv_replace", right, 1, 7 * INT);
#ifdef HAVE_ISENDRECV
    MPI_Request request;
    MPI_Isendrecv(out, 9, MPI_INT, right, TAG, in, MAX_BYTES, MPI_BYTE, left, TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_row("isendrecv", right, 1, 9 * INT);
    MPI_Isendrecv_replace(in, 11, MPI_INT, right, TAG, left, TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_row("isendrecv_replace", right, 1, 11 * INT);
#endif
}

/* The bytes of a message are those of the data in it, without the gaps between them. */
static void derived_types(void)
{
    MPI_Datatype columns, padded;
    struct pair { char letter; double number; };
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {0, offsetof(struct pair, number)};
    const MPI_Datatype types[2] = {MPI_CHAR, MPI_DOUBLE};

    MPI_Type_vector(2, 4, 16, MPI_INT, &columns);
    MPI_Type_commit(&columns);
    MPI_Type_create_struct(2, lengths, places, types, &padded);
    MPI_Type_commit(&padded);

    pass("vector", MPI_Send, 1, columns, 8 * INT);
    pass("struct", MPI_Send, 3, padded, 3 * (long)(sizeof(char) + sizeof(double)));
    MPI_Type_free(&columns);
    MPI_Type_free(&padded);
}

/* The first communicator reverses the ranks; the second one has only the odd or the even ones. */
static void sub_communicators(void)
{
    MPI_Comm backwards, half;
    const int other = (world_rank + 2) % PROCESSES;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &backwards);
    step("create backwards");
    pass_in(backwards, PROCESSES - 1 - right, right, "backwards", MPI_Send, 256, MPI_BYTE, 256);
    MPI_Comm_free(&backwards);

    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &half);
    step("create half");
    pass_in(half, other / 2, other, "half", MPI_Send, 512, MPI_BYTE, 512);
    MPI_Comm_free(&half);

    MPI_Comm_dup(MPI_COMM_WORLD, &half);
    step("create dup");
    MPI_Sendrecv(out, 1024, MPI_BYTE, other, TAG, in, MAX_BYTES, MPI_BYTE, other, TAG, half, MPI_STATUS_IGNORE);
    expect_row("dup", other, 1, 1024);
    MPI_Comm_free(&half);
}

static void to_self(void)
{
    MPI_Sendrecv(out, 3, MPI_BYTE, world_rank, TAG, in, MAX_BYTES, MPI_BYTE, world_rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect_row("self_in_world", world_rank, 1, 3);
    MPI_Sendrecv(out, 6, MPI_BYTE, 0, TAG, in, MAX_BYTES, MPI_BYTE, 0, TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    expect_row("self_in_self", world_rank, 1, 6);
}

/* Reaches no process, so no monitoring may count it. */
static void to_proc_null(void)
{
    MPI_Request requests[2];
    send_function *const sends[] = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
    for (int i = 0; i < 4; i++)
        sends[i](out, 10, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD);
    MPI_Isend(out, 10, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(out, 10, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(out, 10, MPI_BYTE, MPI_PROC_NULL, TAG, in, MAX_BYTES, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Send_init(out, 10, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
}

/* Every start of a persistent request is a message; its creation is not. */
static void persistent(void)
{
    enum { ROUNDS = 3 };
    MPI_Request sends[4], receives[4];
    for (int i = 0; i < 4; i++)
        MPI_Recv_init(in + 1024 * i, 1024, MPI_BYTE, left, TAG + i, MPI_COMM_WORLD, &receives[i]);
    MPI_Send_init(out, 17, MPI_BYTE, right, TAG, MPI_COMM_WORLD, &sends[0]);
    MPI_Ssend_init(out, 34, MPI_BYTE, right, TAG + 1, MPI_COMM_WORLD, &sends[1]);
    MPI_Bsend_init(out, 68, MPI_BYTE, right, TAG + 2, MPI_COMM_WORLD, &sends[2]);
    MPI_Rsend_init(out, 136, MPI_BYTE, right, TAG + 3, MPI_COMM_WORLD, &sends[3]);

    for (int round = 0; round < ROUNDS; round++) {
        MPI_Startall(4, receives);
        barrier();
        if (round == 0) {
            for (int i = 0; i < 4; i++)
                MPI_Start(&sends[i]);
        } else {
            MPI_Startall(4, sends);
        }
        MPI_Waitall(4, sends, MPI_STATUSES_IGNORE);
        MPI_Waitall(4, receives, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 4; i++)
        expect_row("persistent", right, ROUNDS, ROUNDS * (17 << i));
    for (int i = 0; i < 4; i++) {
        MPI_Request_free(&sends[i]);
        MPI_Request_free(&receives[i]);
    }
}

/* The functions of MPI-4 with MPI_Count. */
static void large_count(void)
{
#ifdef HAVE_LARGE_COUNT
    enum { WAYS = 8 };
    MPI_Request requests[2 * WAYS], start;
    MPI_Count n = 19;

    for (int i = 0; i < WAYS; i++)
        MPI_Irecv(in + 1024 * i, 1024, MPI_BYTE, left, TAG + i, MPI_COMM_WORLD, &requests[i]);
    barrier();
    MPI_Send_c(out, n, MPI_BYTE, right, TAG, MPI_COMM_WORLD);
    MPI_Bsend_c(out, 2 * n, MPI_BYTE, right, TAG + 1, MPI_COMM_WORLD);
    MPI_Rsend_c(out, 3 * n, MPI_BYTE, right, TAG + 2, MPI_COMM_WORLD);
    MPI_Ssend_c(out, 4 * n, MPI_BYTE, right, TAG + 3, MPI_COMM_WORLD);
    MPI_Isend_c(out, 5 * n, MPI_BYTE, right, TAG + 4, MPI_COMM_WORLD, &requests[WAYS]);
    MPI_Ibsend_c(out, 6 * n, MPI_BYTE, right, TAG + 5, MPI_COMM_WORLD, &requests[WAYS + 1]);
    MPI_Irsend_c(out, 7 * n, MPI_BYTE, right, TAG + 6, MPI_COMM_WORLD, &requests[WAYS + 2]);
    MPI_Issend_c(out, 8 * n, MPI_BYTE, right, TAG + 7, MPI_COMM_WORLD, &requests[WAYS + 3]);
    MPI_Waitall(WAYS + 4, requests, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= WAYS; i++)
        expect_row("large_count", right, 1, i * (long)n);

    MPI_Sendrecv_c(out, n, MPI_INT, right, TAG, in, MAX_BYTES, MPI_BYTE, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace_c(in, n, MPI_INT, right, TAG, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isendrecv_c(out, n, MPI_INT, right, TAG, in, MAX_BYTES, MPI_BYTE, left, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    expect_row("large_count_sendrecv", right, 3, 3 * (long)n * INT);

    if (plain)
        return;
    MPI_Irecv(in, MAX_BYTES, MPI_BYTE, left, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init_c(out, 23, MPI_BYTE, right, TAG, MPI_COMM_WORLD, &start);
    MPI_Start(&start);
    MPI_Wait(&start, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    expect_row("persistent", right, 1, 23);
    MPI_Request_free(&start);
#endif
}

/* The receiving side chooses how it receives; the sender's count must not depend on it. */
static void matched_receive(void)
{
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    MPI_Isend(out, 41, MPI_BYTE, right, TAG, MPI_COMM_WORLD, &request);
    MPI_Mprobe(left, TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(in, MAX_BYTES, MPI_BYTE, &message, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_row("matched", right, 1, 41);
}

int main(int argc, char **argv)
{
    int detached_size;
    void *detached;

    open_expected_rows(&argc, &argv, PROCESSES);
    plain = argc > 2;
    right = (world_rank + 1) % world_size;
    left = (world_rank + world_size - 1) % world_size;
    MPI_Buffer_attach(attached, sizeof attached);

    blocking();
    nonblocking();
    both_ways();
    derived_types();
    sub_communicators();
    to_self();
    to_proc_null();
    if (!plain)
        persistent();
    large_count();
    matched_receive();

    MPI_Buffer_detach(&detached, &detached_size);
    return close_expected_rows();
}
