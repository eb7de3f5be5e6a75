/* MPI_COMM_WORLD at MPI_THREAD_SINGLE, and a session at MPI_THREAD_MULTIPLE, whose threads send concurrently.
 *
 *     thread_levels          (1 process)
 *
 * Prints the number of messages. If the library does not grant the session its level, one thread sends them all. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, MESSAGES = 100, FIRST = 8, LAST = 9 };

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

int main(int argc, char **argv)
{
    int provided, flag, sent = 1, in, last = 1, is_multiple;
    char level[64] = "";
    pthread_t ids[THREADS];
    MPI_Session session;
    MPI_Info info;
    MPI_Group group;
    MPI_Comm comm;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    send(MPI_COMM_WORLD);
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
    MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Info_free(&info);
    MPI_Session_get_info(session, &info);
    MPI_Info_get(info, "thread_level", 63, level, &flag);
    MPI_Info_free(&info);
    is_multiple = flag && strcmp(level, "MPI_THREAD_MULTIPLE") == 0;
    MPI_Group_from_session_pset(session, "mpi://SELF", &group);
    MPI_Comm_create_from_group(group, "levels", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
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
