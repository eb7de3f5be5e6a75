/* Makes sends that the library refuses between valid ones. Repeated equal sends are recorded on a fast path, which must not
 * count the refused ones.
 *
 *     refused_sends DIRECTORY        (2 processes)
 */
#include "expected_rows.h"

enum { PROCESSES = 2, BYTES = 43, TAG = 7 };

static char out[BYTES], in[BYTES];
static int other;

/* A message in each direction. */
static void exchange(void)
{
    MPI_Request request;

    MPI_Irecv(in, BYTES, MPI_BYTE, other, TAG, MPI_COMM_WORLD, &request);
    MPI_Send(out, BYTES, MPI_BYTE, other, TAG, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("E", other, 1, BYTES);
}

static void must_fail(int code, const char *what)
{
    if (code == MPI_SUCCESS) {
        fprintf(stderr, "rank %d: %s: the library accepts it\n", world_rank, what);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    step("%s", what);
    exchange();
}

static void must_refuse(const char *what, int count, MPI_Datatype type, int dest, int tag)
{
    MPI_Request request;

    must_fail(MPI_Send(out, count, type, dest, tag, MPI_COMM_WORLD), what);
    must_fail(MPI_Isend(out, count, type, dest, tag, MPI_COMM_WORLD, &request), what);
    must_fail(MPI_Ssend(out, count, type, dest, tag, MPI_COMM_WORLD), what);
    must_fail(MPI_Issend(out, count, type, dest, tag, MPI_COMM_WORLD, &request), what);
}

int main(int argc, char **argv)
{
    MPI_Datatype pair;

    open_expected_rows(&argc, &argv, PROCESSES);
    other = 1 - world_rank;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(2, MPI_BYTE, &pair);

    exchange();
    must_refuse("a count below 0", -1, MPI_BYTE, other, TAG);
    must_refuse("no type", 1, MPI_DATATYPE_NULL, other, TAG);
    must_refuse("a type that is not committed", 1, pair, other, TAG);
    must_refuse("a rank too high", BYTES, MPI_BYTE, PROCESSES, TAG);
    must_refuse("a rank too low", BYTES, MPI_BYTE, -77, TAG);
    must_refuse("a tag below 0", BYTES, MPI_BYTE, other, -5);
    must_fail(MPI_Isend(out, BYTES, MPI_BYTE, other, TAG, MPI_COMM_WORLD, NULL), "no request");

    MPI_Type_free(&pair);
    close_expected_rows();
    return EXIT_SUCCESS;
}
