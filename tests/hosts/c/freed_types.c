/* Derived datatypes that another thread frees during a call with them, as the standard allows. New datatypes of another size
 * reuse their handles at once.
 *
 *     freed_types DIRECTORY        (1 process)
 */
#include "expected_rows.h"

#include <pthread.h>
#include <sched.h>

enum { TAG = 7, REPLY = 8, BYTES = 14, OTHERS = 64, OTHER_BYTES = 1000 };

/* With MPICH 4.0.2, MPI_Sendrecv may hang if another thread sends the reply, with and without mpit. */
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40100000
enum { SENDRECV_WAITS_FOR_THREADS = 0 };
#else
enum { SENDRECV_WAITS_FOR_THREADS = 1 };
#endif

static MPI_Datatype type;

static MPI_Datatype derived(int bytes)
{
    MPI_Datatype made;
    MPI_Type_contiguous(bytes, MPI_BYTE, &made);
    MPI_Type_commit(&made);
    return made;
}

/* Completes a request without blocking: with MPICH 4.0.2, two blocked threads may hang. */
static void complete(MPI_Request *request)
{
    for (int done = 0; !done; sched_yield())
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
}

/* Frees the datatype while the message is in flight, and receives it afterwards. */
static void *free_and_receive(void *comm)
{
    char in[BYTES];
    MPI_Datatype others[OTHERS];
    MPI_Request request;

    for (int there = 0; !there; sched_yield())
        MPI_Iprobe(0, TAG, *(MPI_Comm *)comm, &there, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    for (int i = 0; i < OTHERS; i++)
        others[i] = derived(OTHER_BYTES);
    MPI_Irecv(in, BYTES, MPI_BYTE, 0, TAG, *(MPI_Comm *)comm, &request);
    complete(&request);
    MPI_Isend(in, 1, MPI_BYTE, 0, REPLY, *(MPI_Comm *)comm, &request);
    complete(&request);
    for (int i = 0; i < OTHERS; i++)
        MPI_Type_free(&others[i]);
    return NULL;
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    pthread_t thread;
    MPI_Request request;
    char out[BYTES] = {0}, in;
    int messages = 0, expected = 0;

    initialize_with = MPI_THREAD_MULTIPLE;
    open_expected_rows(&argc, &argv, 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int form = 0; form < 3; form++) {
        if (form == 1 && !SENDRECV_WAITS_FOR_THREADS)
            continue;
        MPI_Datatype committed = derived(BYTES);
        /* A duplicate of a committed type is committed. */
        if (form == 2) {
            MPI_Type_dup(committed, &type);
            MPI_Type_free(&committed);
        } else
            type = committed;
        require(!pthread_create(&thread, NULL, free_and_receive, &comm), "thread");
        if (form == 1)
            MPI_Sendrecv(out, 1, type, 0, TAG, &in, 1, MPI_BYTE, 0, REPLY, comm, MPI_STATUS_IGNORE);
        else {
            MPI_Ssend(out, 1, type, 0, TAG, comm);
            MPI_Irecv(&in, 1, MPI_BYTE, 0, REPLY, comm, &request);
            complete(&request);
        }
        pthread_join(thread, NULL);
        messages += 2;
        expected += BYTES + 1;
    }
    expect("E", 0, messages, expected);
    MPI_Comm_free(&comm);
    return close_expected_rows();
}
