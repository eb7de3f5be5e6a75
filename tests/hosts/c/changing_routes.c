/* Threads of two processes repeat equal calls while others free communicators, tools listen and stop listening, and an error handler
 * is set.
 *
 *     changing_routes DIRECTORY        (2 processes)
 */
#include "expected_rows.h"

#include <pthread.h>
#include <string.h>

enum { PROCESSES = 2, MOST_THREADS = 4, ROUNDS = 12, TIMES = 25, K = 3 };

static int other, threads_count = MOST_THREADS;

struct lane {
    MPI_Comm comm;
    int number;
};

static void exchange(int count, int tag, MPI_Comm comm)
{
    int out[K * ROUNDS] = {0}, in[K * ROUNDS];
    MPI_Request request;

    MPI_Irecv(in, count, MPI_INT, other, tag, comm, &request);
    MPI_Send(out, count, MPI_INT, other, tag, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Repeats messages on MPI_COMM_WORLD, and on communicators whose handles and places are those of freed ones. */
static void *work(void *argument)
{
    struct lane *lane = argument;

    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm comm;
        char name[32];
        int out[K] = {0}, in[K];
        MPI_Comm_split(lane->comm, 0, round % 2 ? -world_rank : world_rank, &comm);
        snprintf(name, sizeof name, "lane_%d", lane->number);
        MPI_Comm_set_name(comm, name);
        for (int i = 0; i < TIMES; i++) {
            MPI_Request request;
            /* In every other round the ranks are in reverse order. */
            const int to = round % 2 ? world_rank : other;
            exchange(1 + lane->number, lane->number, MPI_COMM_WORLD);
            MPI_Irecv(in, K, MPI_INT, to, 1, comm, &request);
            MPI_Send(out, K, MPI_INT, to, 1, comm);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Allreduce(out, in, K, MPI_INT, MPI_SUM, comm);
        }
        MPI_Comm_free(&comm);
    }
    return NULL;
}

static MPI_T_pvar_handle counter(MPI_T_pvar_session session)
{
    int index, count;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;

    require(MPI_T_pvar_get_index("calls_p2p_count", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS, "index");
    require(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) == MPI_SUCCESS, "handle");
    return handle;
}

/* Changes the listeners and, half-way, the error handler, between messages of its own. */
static int change_all(void)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int sent = 0;

    require(MPI_T_pvar_session_create(&session) == MPI_SUCCESS, "session");
    handle = counter(session);
    for (int round = 0; round < ROUNDS; round++) {
        unsigned long long calls = 0, before = 0;
        for (int i = 0; i < TIMES; i++, sent++)
            exchange(2, MOST_THREADS, MPI_COMM_WORLD);
        require(MPI_T_pvar_read(session, handle, &before) == MPI_SUCCESS, "read");
        require(MPI_T_pvar_start(session, handle) == MPI_SUCCESS, "start");
        for (int i = 0; i < TIMES; i++, sent++)
            exchange(2, MOST_THREADS, MPI_COMM_WORLD);
        require(MPI_T_pvar_stop(session, handle) == MPI_SUCCESS, "stop");
        require(MPI_T_pvar_read(session, handle, &calls) == MPI_SUCCESS, "read");
        /* Its own calls, and those of the others. */
        require(calls - before >= 2 * TIMES, "calls while the handle was started");
        if (round == ROUNDS / 2)
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    MPI_T_pvar_session_free(&session);
    return sent;
}

/* Two threads in MPI_Allreduce of Intel MPI starve each other at its lock for over a minute while other programs use the processors, also
 * without mpit. */
static void count_threads(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(version, &length);
    if (strstr(version, "Intel"))
        threads_count = 1;
}

int main(int argc, char **argv)
{
    static struct lane lanes[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    const int each = ROUNDS * TIMES;
    int level, sent;

    initialize_with = MPI_THREAD_MULTIPLE;
    open_expected_rows(&argc, &argv, PROCESSES);
    other = 1 - world_rank;
    count_threads();
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &level);
    for (int i = 0; i < threads_count; i++) {
        lanes[i].number = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &lanes[i].comm);
    }
    for (int i = 0; i < threads_count; i++)
        if (pthread_create(&threads[i], NULL, work, &lanes[i]))
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    sent = change_all();
    for (int i = 0; i < threads_count; i++)
        pthread_join(threads[i], NULL);

    expect("E", other, sent, sent * 2 * INT);
    for (int i = 0; i < threads_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "lane_%d", i);
        expect("E", other, each, each * (1 + i) * INT);
        expect("E", other, each, each * K * INT);
        expect("C", other, each, each * K * INT);
        expect_on("A2A", name, each, each * K * INT);
        MPI_Comm_free(&lanes[i].comm);
    }
    MPI_T_finalize();
    return close_expected_rows();
}
