/* Pauses and resumes recording with MPI_Pcontrol.
 *
 *     pcontrol DIRECTORY     (2 processes)
 */
#include "expected_rows.h"

enum { PROCESSES = 2 };

static int block[8];
static MPI_Win win;

/* Proves R308: a message, a collective operation and an access to the other process are recorded or not. */
static void traffic(int elements, int recorded)
{
    const int other = 1 - world_rank;
    const long bytes = elements * INT;

    MPI_Sendrecv(block, elements, MPI_INT, other, 7, block, 8, MPI_INT, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, block, elements, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    MPI_Put(block, elements, MPI_INT, other, 0, elements, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (recorded) {
        expect("E", other, 1, bytes);
        expect_collective("A2A", "MPI_COMM_WORLD", 1, bytes);
        expect("S", other, 1, bytes);
    }
}

int main(int argc, char **argv)
{
    static int memory[8];

    open_expected_rows(&argc, &argv, PROCESSES);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    traffic(1, 1);
    require(MPI_Pcontrol(0) == MPI_SUCCESS, "MPI_Pcontrol(0)");
    traffic(2, 0);
    require(MPI_Pcontrol(1) == MPI_SUCCESS, "MPI_Pcontrol(1)");
    traffic(3, 1);
    /* Unknown levels and further arguments have no effect. */
    require(MPI_Pcontrol(77, 2.5, "and more", 1L << 40) == MPI_SUCCESS, "MPI_Pcontrol(77)");
    traffic(4, 1);
    /* Writes a numbered file, if files are enabled. */
    require(MPI_Pcontrol(2) == MPI_SUCCESS, "MPI_Pcontrol(2)");
    MPI_Win_free(&win);
    return close_expected_rows();
}
