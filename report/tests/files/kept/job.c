/* A job with rows of each kind. It takes 0.2 seconds, so that it has a development over time. */
#include <mpi.h>
#include <mpit_region.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, numbers[64] = {0}, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm row;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    MPI_Comm_set_name(row, "row of two");
    MPI_Win window;
    MPI_Win_create(numbers, sizeof numbers, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    mpit_region_begin("solver");
    for (int step = 0; step < 10; step++) {
        const int right = (rank + 1) % size, left = (rank + size - 1) % size;
        MPI_Sendrecv(&step, 1, MPI_INT, right, 0, numbers, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(numbers, rank * step, MPI_INT, rank, 1, MPI_COMM_WORLD);
        MPI_Recv(numbers, 64, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, row);
        usleep(20000);
    }
    mpit_region_end("solver");
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 1, 1, MPI_INT, window);
    MPI_Get(&sum, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Bcast(numbers, 8, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gather(&rank, 1, MPI_INT, numbers, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&row);
    MPI_Finalize();
    return 0;
}
