/* Sends on a revoked communicator. The library refuses these sends although their arguments are valid.
 *
 *     revoked DIRECTORY        (2 processes, a library with MPIX_Comm_revoke and with fault tolerance enabled)
 */
#include "expected_rows.h"

enum { PROCESSES = 2, BYTES = 43, TAG = 7, ACCEPTED = 5, REFUSED = 100 };

int MPIX_Comm_revoke(MPI_Comm comm);

int main(int argc, char **argv)
{
    MPI_Comm comm;
    char out[BYTES] = {0}, in[BYTES];

    open_expected_rows(&argc, &argv, PROCESSES);
    const int other = 1 - world_rank;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < ACCEPTED; i++) {
        MPI_Request request;
        MPI_Irecv(in, BYTES, MPI_BYTE, other, TAG, comm, &request);
        MPI_Send(out, BYTES, MPI_BYTE, other, TAG, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    expect("E", other, ACCEPTED, ACCEPTED * BYTES);
    /* The previous call is equal, so the fast path records this one. */
    MPI_Comm_set_name(comm, "revoked");
    MPI_Barrier(comm);
    expect("C", other, 1, 0);
    expect_on("A2A", "revoked", 1, 0);
    MPIX_Comm_revoke(comm);
    for (int i = 0; i < REFUSED; i++)
        if (MPI_Send(out, BYTES, MPI_BYTE, other, TAG, comm) == MPI_SUCCESS) {
            fprintf(stderr, "the library accepts it\n");
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        }
    MPI_Comm_free(&comm);
    close_expected_rows();
    return EXIT_SUCCESS;
}
