/* Calls Intel's Fortran interfaces: the one for programs whose INTEGER has 8 bytes, and the one over the standard ABI.
 *
 *     ilp64 DIRECTORY        (2 processes, linked with libmpi_ilp64 and libmpifort, or with libmpifort_abi)
 */
#include "expected_rows.h"

#include <stdint.h>

enum { PROCESSES = 2 };

#ifdef MPI_ABI_VERSION
typedef int integer;
#else
typedef int64_t integer;
#endif
typedef const integer *in;

void mpi_alltoallv_(const void *, in, in, in, void *, in, in, in, in, integer *);
void mpi_send_(const void *, in, in, in, in, in, integer *);
void mpi_recv_(void *, in, in, in, in, in, integer *, integer *);

int main(int argc, char **argv)
{
    int out[6] = {1, 2, 3, 4, 5, 6}, back[6] = {0};
    /* The second count is significant: in an array of 4-byte integers, the third one has its address. */
    const integer counts[2][2] = {{0, 20}, {20, 0}}, places[2] = {0, 0}, bytes = 20, tag = 7;
    /* Fortran's values of constants of the same name in C. */
    const integer world = (integer)(intptr_t)MPI_COMM_WORLD, byte = (integer)(intptr_t)MPI_BYTE;
    integer error = -1, status[16];

    open_expected_rows(&argc, &argv, PROCESSES);
    const int other = 1 - world_rank;
    const integer peer = other;
    mpi_alltoallv_(out, counts[world_rank], places, &byte, back, counts[world_rank], places, &byte, &world, &error);
    require(error == 0 && back[4] == 5, "alltoallv");
    expect_collective("A2A", "MPI_COMM_WORLD", 1, 20);
    if (world_rank == 0) {
        mpi_send_(out, &bytes, &byte, &peer, &tag, &world, &error);
        expect("E", other, 1, 20);
    } else
        mpi_recv_(back, &bytes, &byte, &peer, &tag, &world, status, &error);
    require(error == 0, "send");
    return close_expected_rows();
}
