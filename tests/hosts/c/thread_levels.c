/* MPI_COMM_WORLD at MPI_THREAD_SINGLE, and then a session at MPI_THREAD_MULTIPLE, whose threads send concurrently; with an argument
 * a session at MPI_THREAD_SINGLE, and then MPI_COMM_WORLD at MPI_THREAD_MULTIPLE.
 *
 *     thread_levels [WORLD]          (1 process)
 *
 * Prints the number of messages. If the library does not grant the second one its level, one thread sends them all. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, MESSAGES = 20000, FIRST = 8, LAST = 9 };

static MPI_Comm comms[THREADS];

static void send(MPI_Comm comm)
{
    int out = 1, in;

    MPI_Sendrecv(&out, 1, MPI_INT, 0, 7, &in, 1, MPI_INT, 0, 7, comm, MPI_STATUS_IGNORE);
}

/* Stays in one call while the others send. */
static void *send_and_wait(void *comm)
{
    int out = 1, in;

    MPI_Sendrecv(&out, 1, MPI_INT, 0, FIRST, &in, 1, MPI_INT, 0, LAST, *(MPI_Comm *)comm, MPI_STATUS_IGNORE);
    return NULL;
}

static void *send_many(void *comm)
{
    for (int message = 0; message < MESSAGES; message++)
        send(*(MPI_Comm *)comm);
    return NULL;
}

/* Returns true if the library grants the level. */
static int open_session(const char *wanted, MPI_Session *session, MPI_Comm *comm)
{
    int flag;
    char level[64] = "";
    MPI_Info info;
    MPI_Group group;

    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", wanted);
    MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, session);
    MPI_Info_free(&info);
    MPI_Session_get_info(*session, &info);
    MPI_Info_get(info, "thread_level", 63, level, &flag);
    MPI_Info_free(&info);
    MPI_Group_from_session_pset(*session, "mpi://SELF", &group);
    MPI_Comm_create_from_group(group, "levels", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm);
    MPI_Group_free(&group);
    return flag && strcmp(level, wanted) == 0;
}

int main(int argc, char **argv)
{
    int provided, sent = 1, in, last = 1, is_multiple;
    pthread_t ids[THREADS];
    MPI_Session session;
    MPI_Comm comm;

    if (argc > 1) {
        open_session("MPI_THREAD_SINGLE", &session, &comm);
        send(comm);
        MPI_Comm_free(&comm);
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        is_multiple = provided == MPI_THREAD_MULTIPLE;
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
    } else {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
        send(MPI_COMM_WORLD);
        is_multiple = open_session("MPI_THREAD_MULTIPLE", &session, &comm);
    }
    for (int thread = 0; thread < THREADS; thread++)
        MPI_Comm_dup(comm, &comms[thread]);
    if (is_multiple) {
        pthread_create(&ids[0], NULL, send_and_wait, &comms[0]);
        MPI_Recv(&in, 1, MPI_INT, 0, FIRST, comms[0], MPI_STATUS_IGNORE);
        for (int thread = 1; thread < THREADS; thread++)
            pthread_create(&ids[thread], NULL, send_many, &comms[thread]);
        for (int thread = 1; thread < THREADS; thread++)
            pthread_join(ids[thread], NULL);
        MPI_Send(&last, 1, MPI_INT, 0, LAST, comms[0]);
        pthread_join(ids[0], NULL);
        sent += 2 + (THREADS - 1) * MESSAGES;
    } else {
        send_many(&comms[1]);
        sent += MESSAGES;
    }
    for (int thread = 0; thread < THREADS; thread++)
        MPI_Comm_free(&comms[thread]);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    MPI_Finalize();
    printf("%d messages\n", sent);
    return EXIT_SUCCESS;
}
