/* Partitioned messages, and messages to another group.
 *
 *     unusual_messages DIRECTORY        (4 processes)
 */
#include "expected_rows.h"

enum { PROCESSES = 4, PARTITIONS = 4, K = 3 };

static int out[64], in[64];

/* Each start is one message, for any number of partitions. */
static void in_partitions(int right, int left)
{
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
    MPI_Request requests[2];

    MPI_Psend_init(out, PARTITIONS, K, MPI_INT, right, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, PARTITIONS, K, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PARTITIONS * K; i++)
            out[i] = 100 * world_rank + i;
        MPI_Startall(2, requests);
        MPI_Pready(2, requests[0]);
        MPI_Pready_range(0, 1, requests[0]);
        MPI_Pready_list(1, (int[]){3}, requests[0]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < PARTITIONS * K; i++)
            require(in[i] == 100 * left + i, "partitions");
        expect("E", right, 1, PARTITIONS * K * INT);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    step("partitions");
#endif
}

/* Ranks are those of the other group. */
static void to_another_group(void)
{
    const int group = world_rank % 2, there = 1 - world_rank / 2;
    MPI_Comm half, inter, merged;

    MPI_Comm_split(MPI_COMM_WORLD, group, world_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - group, 8, &inter);
    step("create intercommunicator");
    const int peer = 2 * there + 1 - group;
    MPI_Sendrecv(out, 5, MPI_INT, there, 9, in, 5, MPI_INT, there, 9, inter, MPI_STATUS_IGNORE);
    expect("E", peer, 1, 5 * INT);
    step("send to another group");

    /* The odd processes come first, so the first process of all is the world's process 1. */
    MPI_Intercomm_merge(inter, group == 0, &merged);
    step("create merged");
    if (world_rank == 2) {
        MPI_Send(out, 7, MPI_INT, 0, 9, merged);
        expect("E", 1, 1, 7 * INT);
    } else if (world_rank == 1) {
        MPI_Recv(in, 7, MPI_INT, MPI_ANY_SOURCE, 9, merged, MPI_STATUS_IGNORE);
    }
    step("send in merged");
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    open_expected_rows(&argc, &argv, PROCESSES);
    in_partitions((world_rank + 1) % PROCESSES, (world_rank + PROCESSES - 1) % PROCESSES);
    to_another_group();
    return close_expected_rows();
}
