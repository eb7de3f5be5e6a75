/* Three threads of rank 1 are in calls that wait for rank 0, which waits for a line of its standard input before it makes the matching
   calls. The main thread is outside of MPI. As current_call.c. */

#include "require.h"
#include <pthread.h>

enum { RECEIVERS = 2 };

static MPI_Comm work;

static void *receive(void *number)
{
    int data[4];
    MPI_Recv(data, 4, MPI_INT, 0, 40 + *(int *)number, work, MPI_STATUS_IGNORE);
    return NULL;
}

static void *wait_for_one(void *unused)
{
    int data;
    MPI_Request request;
    MPI_Irecv(&data, 1, MPI_INT, 0, 50, work, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return unused;
}

int main(int argc, char **argv)
{
    int level, rank, data[4] = {0}, numbers[RECEIVERS];
    char line[16];
    pthread_t threads[RECEIVERS + 1];

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    require(level == MPI_THREAD_MULTIPLE, "needs MPI_THREAD_MULTIPLE");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &work);
    MPI_Comm_set_name(work, "work");
    if (rank == 0) {
        printf("%s\nstep threads\n", getenv("MPIT_RUN"));
        fflush(stdout);
        require(fgets(line, sizeof line, stdin) != NULL, "no line");
        for (int i = 0; i < RECEIVERS; i++)
            MPI_Send(data, 4, MPI_INT, 1, 40 + i, work);
        MPI_Send(data, 1, MPI_INT, 1, 50, work);
    } else {
        for (int i = 0; i < RECEIVERS; i++) {
            numbers[i] = i;
            require(pthread_create(&threads[i], NULL, receive, &numbers[i]) == 0, "no thread");
        }
        require(pthread_create(&threads[RECEIVERS], NULL, wait_for_one, NULL) == 0, "no thread");
        for (int i = 0; i <= RECEIVERS; i++)
            pthread_join(threads[i], NULL);
    }
    MPI_Comm_free(&work);
    MPI_Finalize();
    return 0;
}
