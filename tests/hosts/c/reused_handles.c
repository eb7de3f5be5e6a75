/* Hundreds of communicators, one after the other: created, named, used three times, freed. Libraries reuse the memory and the
 * handles of freed ones.
 *
 *     reused_handles DIRECTORY (2 processes)
 */
#include "expected_rows.h"

enum { PROCESSES = 2, COPIES = 600, TIMES = 3 };

int main(int argc, char **argv)
{
    open_expected_rows(&argc, &argv, PROCESSES);
    for (int i = 0; i < COPIES; i++) {
        MPI_Comm copy;
        char name[32];
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        snprintf(name, sizeof name, "copy_%d", i);
        MPI_Comm_set_name(copy, name);
        for (int j = 0; j < TIMES; j++) {
            double value = world_rank, sum;
            MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, copy);
        }
        MPI_Comm_free(&copy);
        expect_collective("A2A", name, TIMES, sizeof(double));
    }
    return close_expected_rows();
}
