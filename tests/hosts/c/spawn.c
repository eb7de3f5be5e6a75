/* Sends to a process of another world.
 *
 *     spawn DIRECTORY        (2 processes; spawns a third, whose directory is DIRECTORY/child)
 */
#include "expected_rows.h"

enum { PROCESSES = 2, K = 3 };

static int block[K];

static void child(MPI_Comm parent)
{
    MPI_Comm all;

    MPI_Recv(block, K, MPI_INT, 0, 7, parent, MPI_STATUS_IGNORE);
    MPI_Send(block, K, MPI_INT, 1, 7, parent);
    MPI_Intercomm_merge(parent, 1, &all);
    MPI_Allreduce(MPI_IN_PLACE, block, K, MPI_INT, MPI_SUM, all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    exit(EXIT_SUCCESS);
}

int main(int argc, char **argv)
{
    char dir[4096];
    MPI_Comm parent, inter, all;
    MPI_Info info;

    if (argc > 2 && strcmp(argv[2], "child") == 0) {
        MPI_Init(&argc, &argv);
        MPI_Comm_get_parent(&parent);
        child(parent);
    }
    open_expected_rows(&argc, &argv, PROCESSES);
    const int other = 1 - world_rank;

    snprintf(dir, sizeof dir, "%s/child", argv[1]);
    MPI_Info_create(&info);
    MPI_Info_set(info, "wdir", dir);
    MPI_Comm_spawn(argv[0], (char *[]){".", "child", NULL}, 1, info, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
    MPI_Info_free(&info);

    /* Not to a process of this world. */
    if (world_rank == 0)
        MPI_Send(block, K, MPI_INT, 0, 7, inter);
    else
        MPI_Recv(block, K, MPI_INT, 0, 7, inter, MPI_STATUS_IGNORE);

    MPI_Intercomm_merge(inter, 0, &all);
    MPI_Comm_set_name(all, "all");
    MPI_Allreduce(MPI_IN_PLACE, block, K, MPI_INT, MPI_SUM, all);
    expect("C", other, 1, K * INT);
    /* The sum of the communicator has all of its other processes. */
    expect_on("A2A", "all", 1, 2 * K * INT);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&inter);
    return close_expected_rows();
}
