/* Communicators and windows that are used while they are freed: the delete callbacks of their attributes send and access.
 * Each process counts its messages by receiver, and compares the counts with the variables at the end.
 *
 *     used_while_freed    (3 processes)
 *
 * The cases: the attribute is set before or after the communicator's first use, without any use before, or copied; the
 * communicator is a duplicate created without waiting; a message is in flight; and each case again with calls that bypass all
 * interposition, as the wrapper of a tool makes them. Prints a line for each failure. */
#define _GNU_SOURCE
#include "checks.h"
#include "library_functions.h"

enum { PROCESSES = 3, ROUNDS = 12 };

static unsigned long long sent[PROCESSES], put[PROCESSES];
static int memory[64], is_intel;

/* The rank in the world of each member, without a call that mpit sees. */
static void world_ranks(MPI_Group group, int size, int *ranks)
{
    MPI_Group world;
    int of[PROCESSES] = {0, 1, 2};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(group, size, of, world, ranks);
    MPI_Group_free(&world);
}

static void talk(MPI_Comm comm)
{
    MPI_Group group;
    int size, own, ranks[PROCESSES], at, in;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &own);
    MPI_Comm_group(comm, &group);
    world_ranks(group, size, ranks);
    MPI_Group_free(&group);
    if (own != 0) {
        MPI_Send(&own, 1, MPI_INT, 0, 1, comm);
        sent[ranks[0]]++;
        return;
    }
    for (at = 1; at < size; at++)
        MPI_Recv(&in, 1, MPI_INT, at, 1, comm, MPI_STATUS_IGNORE);
}

static int of_comm(MPI_Comm comm, int key, void *value, void *extra)
{
    talk(comm);
    return MPI_SUCCESS;
}

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *new_value, int *flag)
{
    *(void **)new_value = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static void access_all(MPI_Win win)
{
    MPI_Group group;
    int size, at, ranks[PROCESSES];
    MPI_Win_get_group(win, &group);
    MPI_Group_size(group, &size);
    world_ranks(group, size, ranks);
    MPI_Group_free(&group);
    for (at = 0; at < size; at++) {
        MPI_Win_lock(MPI_LOCK_SHARED, at, 0, win);
        MPI_Put(&rank, 1, MPI_INT, at, 0, 1, MPI_INT, win);
        MPI_Win_unlock(at, win);
        put[ranks[at]]++;
    }
}

static int of_win(MPI_Win win, int key, void *value, void *extra)
{
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION >= 50000000
    /* On other ranks, its memory is freed already. */
    if (!is_intel)
        access_all(win);
#endif
    return MPI_SUCCESS;
}

static void compare(const char *name, MPI_T_pvar_handle handle, const unsigned long long *wanted)
{
    unsigned long long values[PROCESSES];
    int to;
    check(MPI_T_pvar_read(session, handle, values) == MPI_SUCCESS, name);
    for (to = 0; to < PROCESSES; to++)
        if (values[to] != wanted[to]) {
            printf("rank %d: FAIL %s to %d: %llu, should be %llu\n", rank, name, to, values[to], wanted[to]);
            failures++;
        }
}

/* The ways to free a communicator. */
enum way { EARLY, UNUSED, LATE, COPIED, IDUP, DISCONNECT, PENDING, WAYS };

static int key, win_key;

static void round_of(enum way way, int past, int round)
{
    MPI_Comm comm, other = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win win;
    int in = 0, out = 0, own;
    /* Another order of the ranks each time, and a subset of them every third time. */
    MPI_Comm_split(MPI_COMM_WORLD, round % 3 == 2 && rank == round % PROCESSES, (rank + round) % PROCESSES, &comm);
    if (way == EARLY || way == UNUSED)
        MPI_Comm_set_attr(comm, key, NULL);
    if (way != UNUSED)
        talk(comm);
    if (way != EARLY && way != UNUSED)
        MPI_Comm_set_attr(comm, key, NULL);
    if (way == COPIED)
        MPI_Comm_dup(comm, &other);
    if (way == IDUP && !past) {
        MPI_Comm_idup(comm, &other, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (other != MPI_COMM_NULL) {
        talk(other);
        past ? of_library("PMPI_Comm_free")(&other) : MPI_Comm_free(&other);
    }
    if (way == PENDING) {
        /* Some libraries free the communicator when the message has arrived. */
        MPI_Comm_rank(comm, &own);
        MPI_Irecv(&in, 1, MPI_INT, own, 7, comm, &request);
        MPI_Send(&out, 1, MPI_INT, own, 7, comm);
        sent[rank]++;
    }
    if (way == DISCONNECT)
        past ? of_library("PMPI_Comm_disconnect")(&comm) : MPI_Comm_disconnect(&comm);
    else
        past ? of_library("PMPI_Comm_free")(&comm) : MPI_Comm_free(&comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    if (way != LATE)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, 0, (2 * rank + round) % PROCESSES, &comm);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, comm, &win);
    MPI_Win_set_attr(win, win_key, NULL);
    access_all(win);
    past ? of_library("PMPI_Win_free")(&win) : MPI_Win_free(&win);
    past ? of_library("PMPI_Comm_free")(&comm) : MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int way, round, past, length;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_T_pvar_handle messages, accesses;
    MPI_Get_library_version(version, &length);
    is_intel = strstr(version, "Intel") != NULL;
    MPI_Init(&argc, &argv);
    start_tool();
    messages = started(session, "pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, &world, PROCESSES);
    accesses = started(session, "osc_monitoring_messages_sent_count", MPI_T_PVAR_CLASS_SIZE, &world, PROCESSES);
    MPI_Comm_create_keyval(copy, of_comm, &key, NULL);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, of_win, &win_key, NULL);

    for (past = 0; past < 2; past++)
        /* Intel's library crashes or hangs in the last two, with or without mpit. */
        for (way = 0; way < (is_intel ? DISCONNECT : WAYS); way++) {
            for (round = 0; round < ROUNDS; round++)
                round_of(way, past, round);
            printf("rank %d: way %d past %d\n", rank, way, past);
            compare("pml_monitoring_messages_count", messages, sent);
            compare("osc_monitoring_messages_sent_count", accesses, put);
        }
    return end_tool();
}
