/* Makes sends that the library refuses between valid ones. Repeated equal sends are recorded on a fast path, which must not
 * count the refused ones.
 *
 *     refused_sends DIRECTORY          (2 processes)
 *     refused_sends DIRECTORY unseen
 *     refused_sends DIRECTORY revoked  (a library with MPIX_Comm_revoke and with fault tolerance enabled)
 *
 * With `unseen`, errors return by a handler that mpit does not see, after sends were recorded in advance.
 * With `revoked`, on a revoked communicator, whose sends the library refuses although their arguments are valid. */
#define _GNU_SOURCE
#include "expected_rows.h"
#include "library_functions.h"

#include <string.h>

enum { PROCESSES = 2, BYTES = 43, TAG = 7, ACCEPTED = 5, REFUSED = 100 };

int MPIX_Comm_revoke(MPI_Comm comm) __attribute__((weak));

static char out[BYTES], in[BYTES];
static int other;

static void exchange(MPI_Comm comm)
{
    MPI_Request request;

    MPI_Irecv(in, BYTES, MPI_BYTE, other, TAG, comm, &request);
    MPI_Send(out, BYTES, MPI_BYTE, other, TAG, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("E", other, 1, BYTES);
}

static void must_fail(int code, const char *what)
{
    require(code != MPI_SUCCESS, what);
    step("%s", what);
    exchange(MPI_COMM_WORLD);
}

static void must_refuse(const char *what, int count, MPI_Datatype type, int dest, int tag)
{
    MPI_Request request;

    must_fail(MPI_Send(out, count, type, dest, tag, MPI_COMM_WORLD), what);
    must_fail(MPI_Isend(out, count, type, dest, tag, MPI_COMM_WORLD, &request), what);
    must_fail(MPI_Ssend(out, count, type, dest, tag, MPI_COMM_WORLD), what);
    must_fail(MPI_Issend(out, count, type, dest, tag, MPI_COMM_WORLD, &request), what);
}

/* Sends that equal an earlier one but for arguments that the library refuses. */
static void with_unseen_handlers(void)
{
    MPI_Request request;

    for (int i = 0; i < ACCEPTED; i++)
        exchange(MPI_COMM_WORLD);
    let_errors_return_unseen(MPI_COMM_WORLD);
    for (int i = 0; i < ACCEPTED; i++) {
        must_fail(MPI_Send(out, BYTES, MPI_BYTE, other, -5, MPI_COMM_WORLD), "a tag below 0");
        must_fail(MPI_Rsend(out, BYTES, MPI_BYTE, other, -5, MPI_COMM_WORLD), "a tag below 0 of a ready send");
        must_fail(MPI_Bsend(out, BYTES, MPI_BYTE, other, -5, MPI_COMM_WORLD), "a tag below 0 of a buffered send");
        must_fail(MPI_Isend(out, BYTES, MPI_BYTE, other, TAG, MPI_COMM_WORLD, NULL), "no request");
        must_fail(MPI_Irsend(out, BYTES, MPI_BYTE, other, -5, MPI_COMM_WORLD, &request), "a tag below 0");
    }
}

static void on_a_revoked_communicator(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < ACCEPTED; i++)
        exchange(comm);
    /* The previous call is equal, so the fast path records this one. */
    MPI_Comm_set_name(comm, "revoked");
    MPI_Barrier(comm);
    expect_collective("A2A", "revoked", 1, 0);
    MPIX_Comm_revoke(comm);
    for (int i = 0; i < REFUSED; i++)
        require(MPI_Send(out, BYTES, MPI_BYTE, other, TAG, comm) != MPI_SUCCESS, "a revoked communicator");
    MPI_Comm_free(&comm);
}

static void with_wrong_arguments(void)
{
    MPI_Datatype pair;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(2, MPI_BYTE, &pair);

    exchange(MPI_COMM_WORLD);
    must_refuse("a count below 0", -1, MPI_BYTE, other, TAG);
    must_refuse("no type", 1, MPI_DATATYPE_NULL, other, TAG);
    must_refuse("a type that is not committed", 1, pair, other, TAG);
    must_refuse("a rank too high", BYTES, MPI_BYTE, PROCESSES, TAG);
    must_refuse("a rank too low", BYTES, MPI_BYTE, -77, TAG);
    must_refuse("a tag below 0", BYTES, MPI_BYTE, other, -5);
    must_fail(MPI_Isend(out, BYTES, MPI_BYTE, other, TAG, MPI_COMM_WORLD, NULL), "no request");

    MPI_Type_free(&pair);
}

int main(int argc, char **argv)
{
    open_expected_rows(&argc, &argv, PROCESSES);
    other = 1 - world_rank;
    if (argc > 2 && !strcmp(argv[2], "unseen"))
        with_unseen_handlers();
    else if (argc > 2)
        on_a_revoked_communicator();
    else
        with_wrong_arguments();
    return close_expected_rows();
}
