/* Calls of MPI from several places, with counts and times that are built in. Each place is a line with a comment `site: NAME`,
 * which the test finds. With the argument `kill`, rank 0 ends in the middle; with `many`, calls come from 5000 places. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define PAUSE_MS 30
#define STEPS 10

#ifdef LIBRARY
void send_from_library(int *value, int dest);
void send_from_library(int *value, int dest)
{
    MPI_Send(value, 1, MPI_INT, dest, 3, MPI_COMM_WORLD); /* site: library */
}
#else
#ifdef OVER_LIBRARY
void send_from_library(int *value, int dest);
#endif

static int rank, size;

__attribute__((noinline)) static void wait_for_late(void)
{
    int value = 0, step;

    for (step = 0; step < STEPS; step++) {
        if (rank == 0) {
            usleep(PAUSE_MS * 1000);
            MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD); /* site: late send */
        } else if (rank == 1) {
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* site: late receive */
        }
    }
}

__attribute__((always_inline)) static inline void inlined_barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD); /* site: inlined */
    __asm__ volatile("");
}

__attribute__((noinline)) static void exchange(int step)
{
    int value[3] = {rank, step, 0}, other = rank ^ 1;

    if (step % 2 == 0) {
        MPI_Sendrecv_replace(value, 2, MPI_INT, other, 2, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* site: even */
        __asm__ volatile("");
    } else {
        MPI_Sendrecv_replace(value, 3, MPI_INT, other, 2, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* site: odd */
        __asm__ volatile("");
    }
}

#define TEN(call) call call call call call call call call call call

static void call_from_many_places(void)
{
    /* clang-format off */
#define ONE MPI_Barrier(MPI_COMM_SELF);
    TEN(TEN(TEN(ONE ONE ONE ONE ONE)))
    /* clang-format on */
}

int main(int argc, char **argv)
{
    int step;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    wait_for_late();
    for (step = 0; step < 7; step++)
        exchange(step);
    inlined_barrier();
    inlined_barrier();
#ifdef OVER_LIBRARY
    if (rank == 0)
        send_from_library(&step, 1);
    else if (rank == 1)
        MPI_Recv(&step, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    if (argc > 1 && strcmp(argv[1], "many") == 0)
        call_from_many_places();
    if (argc > 1 && strcmp(argv[1], "kill") == 0) {
        if (rank == 0) {
            usleep(300000);
            kill(getpid(), SIGKILL);
        }
        MPI_Barrier(MPI_COMM_WORLD); /* site: killed */
    }
    MPI_Finalize();
    return 0;
}
#endif
