/* Reads the number and the time of the calls of each area, and compares them with the calls that the program makes.
 *
 *     calls FILE             (2 processes)
 *
 * Ends with 1 if they differ. */
#include "checks.h"

enum { P2P, OSC, COLL, WAIT, IO, AREAS };
static const char *const NAMES[AREAS] = {"p2p", "osc", "coll", "wait", "io"};

static MPI_T_pvar_handle counts[AREAS], times[AREAS];

static MPI_T_pvar_handle open_handle(const char *area, const char *what, int class)
{
    char name[64];

    snprintf(name, sizeof name, "calls_%s_%s", area, what);
    return handle_on(session, name, class, NULL, 1);
}

static void all(int (*call)(MPI_T_pvar_session, MPI_T_pvar_handle))
{
    for (int i = 0; i < AREAS; i++) {
        require(call(session, counts[i]) == MPI_SUCCESS, "start or stop");
        require(call(session, times[i]) == MPI_SUCCESS, "start or stop");
    }
}

static void expect(const unsigned long long wanted[AREAS])
{
    for (int i = 0; i < AREAS; i++) {
        unsigned long long count;
        double seconds;
        require(MPI_T_pvar_read(session, counts[i], &count) == MPI_SUCCESS, "read");
        require(MPI_T_pvar_read(session, times[i], &seconds) == MPI_SUCCESS, "read");
        if (count != wanted[i])
            fprintf(stderr, "%s: %llu calls, should be %llu\n", NAMES[i], count, wanted[i]);
        require(count == wanted[i], "wrong number of calls");
        require(seconds >= 0 && seconds < 60 && (wanted[i] > 0) == (seconds > 0), "wrong time");
    }
}

int main(int argc, char **argv)
{
    static int memory[4], block[4];
    int flag, none;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Message message;
    MPI_Win win;
    MPI_File file;
    char buffer[MPI_BSEND_OVERHEAD + 100], *detached;

    MPI_Init(&argc, &argv);
    start_tool();
    const int other = 1 - rank;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < AREAS; i++) {
        counts[i] = open_handle(NAMES[i], "count", MPI_T_PVAR_CLASS_COUNTER);
        times[i] = open_handle(NAMES[i], "seconds", MPI_T_PVAR_CLASS_TIMER);
    }

    all(MPI_T_pvar_start);
    expect((unsigned long long[AREAS]){0, 0, 0, 0, 0});
    /* 2 of messages, 1 of completion. */
    MPI_Irecv(block, 4, MPI_INT, other, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(block, 4, MPI_INT, other, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    expect((unsigned long long[AREAS]){2, 0, 0, 1, 0});
    /* 2 of collective operations, however they are made, and 1 of completion. */
    MPI_Allreduce(MPI_IN_PLACE, block, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    expect((unsigned long long[AREAS]){2, 0, 2, 2, 0});
    /* 4 of accesses and their synchronization. */
    MPI_Win_fence(0, win);
    MPI_Put(block, 4, MPI_INT, other, 0, 4, MPI_INT, win);
    MPI_Get(block, 4, MPI_INT, other, 0, 4, MPI_INT, win);
    MPI_Win_fence(0, win);
    expect((unsigned long long[AREAS]){2, 4, 2, 2, 0});
    /* 5 of messages; a test of completion. */
    MPI_Isend(block, 1, MPI_INT, other, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Probe(other, 8, MPI_COMM_WORLD, &status);
    MPI_Iprobe(other, 8, MPI_COMM_WORLD, &flag, &status);
    MPI_Mprobe(other, 8, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(block, 4, MPI_INT, &message, &status);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Testany(0, NULL, &none, &flag, &status);
    expect((unsigned long long[AREAS]){7, 4, 2, 4, 0});
    /* 6 of files, in which the library makes other calls, and 1 of completion. */
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_at_all(file, rank * 4, block, 4, MPI_INT, &status);
    MPI_File_iread_at(file, rank * 4, block, 4, MPI_INT, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_close(&file);
    expect((unsigned long long[AREAS]){7, 4, 2, 5, 6});
    /* 4 of messages, and 2 of completion. */
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Irecv(block, 1, MPI_INT, other, 10, MPI_COMM_WORLD, &requests[0]);
    MPI_Request_get_status(requests[0], &flag, &status);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&detached, &none);
    expect((unsigned long long[AREAS]){11, 4, 2, 7, 6});
    all(MPI_T_pvar_stop);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Sendrecv(block, 1, MPI_INT, other, 9, &none, 1, MPI_INT, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect((unsigned long long[AREAS]){11, 4, 2, 7, 6});

    MPI_Win_free(&win);
    return end_tool();
}
