/* Every access to the memory of other processes, on windows of every kind, with its expected rows.
 *
 *     osc DIRECTORY [plain]  (4 processes)
 *
 * With `plain`, without accesses on which Open MPI's own monitoring fails or counts otherwise. */
#include "expected_rows.h"

enum { PROCESSES = 4, K = 3, WORDS = 16 };

#if MPI_VERSION >= 4
#define HAVE_LARGE 1
#else
#define HAVE_LARGE (MPI_Put_c != NULL)
#define WEAK __attribute__((weak))
#define TARGET int, MPI_Aint, MPI_Count, MPI_Datatype
int MPI_Put_c(const void *, MPI_Count, MPI_Datatype, TARGET, MPI_Win) WEAK;
int MPI_Rput_c(const void *, MPI_Count, MPI_Datatype, TARGET, MPI_Win, MPI_Request *) WEAK;
int MPI_Get_c(void *, MPI_Count, MPI_Datatype, TARGET, MPI_Win) WEAK;
int MPI_Rget_c(void *, MPI_Count, MPI_Datatype, TARGET, MPI_Win, MPI_Request *) WEAK;
int MPI_Accumulate_c(const void *, MPI_Count, MPI_Datatype, TARGET, MPI_Op, MPI_Win) WEAK;
int MPI_Raccumulate_c(const void *, MPI_Count, MPI_Datatype, TARGET, MPI_Op, MPI_Win, MPI_Request *) WEAK;
int MPI_Get_accumulate_c(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, TARGET, MPI_Op,
                         MPI_Win) WEAK;
int MPI_Rget_accumulate_c(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, TARGET, MPI_Op,
                          MPI_Win, MPI_Request *) WEAK;
#endif

static int from[WORDS], into[WORDS];
/* The name of the current kind of access in the steps file. */
static const char *way = "access";

/* Without accesses on which Open MPI's own monitoring fails or counts otherwise. */
static int plain;

/* K elements with gaps between them. */
static MPI_Datatype spread;

/* The request of the last access, if that has one. */
static MPI_Request request = MPI_REQUEST_NULL;

/* Expects an access that sends and receives so many bytes, and completes it. A get is a message without sent bytes. */
static void accesses(int peer, long sent, long received, int comes_back)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("S", peer, 1, sent);
    if (comes_back)
        expect("R", peer, 1, received);
    step("%s", way);
}

/* `target` is a rank in the window's group, and process `peer` of the world. Its memory begins at `at`. */
static void all_accesses(MPI_Win win, int target, int peer, MPI_Aint at)
{
    const long bytes = K * INT;
    int one = 1, none = 0, result;

    step("create window");
    MPI_Win_lock_all(0, win);
    MPI_Put(from, K, MPI_INT, target, at, K, MPI_INT, win);
    accesses(peer, bytes, 0, 0);
    MPI_Rput(from, K, MPI_INT, target, at, K, MPI_INT, win, &request);
    accesses(peer, bytes, 0, 0);
    MPI_Win_flush(target, win);
    MPI_Get(into, K, MPI_INT, target, at, K, MPI_INT, win);
    accesses(peer, 0, bytes, 1);
    MPI_Rget(into, K, MPI_INT, target, at, K, MPI_INT, win, &request);
    accesses(peer, 0, bytes, 1);
    MPI_Win_flush_local(target, win);
    MPI_Accumulate(from, K, MPI_INT, target, at, K, MPI_INT, MPI_SUM, win);
    accesses(peer, bytes, 0, 0);
    MPI_Raccumulate(from, K, MPI_INT, target, at, K, MPI_INT, MPI_SUM, win, &request);
    accesses(peer, bytes, 0, 0);
    MPI_Get_accumulate(from, K, MPI_INT, into, K, MPI_INT, target, at, K, MPI_INT, MPI_SUM, win);
    accesses(peer, bytes, bytes, 1);
    MPI_Win_flush_all(win);
    MPI_Rget_accumulate(from, K, MPI_INT, into, K, MPI_INT, target, at, K, MPI_INT, MPI_SUM, win, &request);
    accesses(peer, bytes, bytes, 1);
    MPI_Get_accumulate(NULL, 0, MPI_INT, into, K, MPI_INT, target, at, K, MPI_INT, MPI_NO_OP, win);
    accesses(peer, 0, bytes, 1);
    MPI_Fetch_and_op(&one, &result, MPI_INT, target, at, MPI_SUM, win);
    accesses(peer, INT, INT, 1);
    if (!plain) {
        /* Sends nothing, whatever the origin arguments are. */
        MPI_Get_accumulate(from, K, MPI_INT, into, K, MPI_INT, target, at, K, MPI_INT, MPI_NO_OP, win);
        accesses(peer, 0, bytes, 1);
        MPI_Rget_accumulate(from, K, MPI_INT, into, K, MPI_INT, target, at, K, MPI_INT, MPI_NO_OP, win, &request);
        accesses(peer, 0, bytes, 1);
        MPI_Fetch_and_op(&one, &result, MPI_INT, target, at, MPI_NO_OP, win);
        accesses(peer, 0, INT, 1);
    }
    MPI_Compare_and_swap(&one, &none, &result, MPI_INT, target, at, win);
    accesses(peer, INT, INT, 1);
    MPI_Put(from, 0, MPI_INT, target, at, 0, MPI_INT, win);
    accesses(peer, 0, 0, 0);
    /* The origin data has gaps, the target data has none. */
    MPI_Put(from, 1, spread, target, at, K, MPI_INT, win);
    accesses(peer, bytes, 0, 0);
    MPI_Get(into, 1, spread, target, at, K, MPI_INT, win);
    accesses(peer, 0, bytes, 1);
    if (HAVE_LARGE) {
        const MPI_Count n = K;
        way = "large access";
        MPI_Put_c(from, n, MPI_INT, target, at, n, MPI_INT, win);
        MPI_Rput_c(from, n, MPI_INT, target, at, n, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Accumulate_c(from, n, MPI_INT, target, at, n, MPI_INT, MPI_SUM, win);
        MPI_Raccumulate_c(from, n, MPI_INT, target, at, n, MPI_INT, MPI_SUM, win, &request);
        for (int i = 0; i < 4; i++)
            accesses(peer, bytes, 0, 0);
        MPI_Get_c(into, n, MPI_INT, target, at, n, MPI_INT, win);
        MPI_Rget_c(into, n, MPI_INT, target, at, n, MPI_INT, win, &request);
        for (int i = 0; i < 2; i++)
            accesses(peer, 0, bytes, 1);
        MPI_Get_accumulate_c(from, n, MPI_INT, into, n, MPI_INT, target, at, n, MPI_INT, MPI_SUM, win);
        MPI_Rget_accumulate_c(from, n, MPI_INT, into, n, MPI_INT, target, at, n, MPI_INT, MPI_SUM, win, &request);
        for (int i = 0; i < 2; i++)
            accesses(peer, bytes, bytes, 1);
        way = "access";
    }
    /* Reaches no process. */
    MPI_Put(from, K, MPI_INT, MPI_PROC_NULL, 0, K, MPI_INT, win);
    MPI_Get(into, K, MPI_INT, MPI_PROC_NULL, 0, K, MPI_INT, win);
    MPI_Win_unlock_all(win);
    step("synchronize window");
}

static void fence_and_post(MPI_Win win, int right, int left)
{
    MPI_Group all, to, of;

    MPI_Win_fence(0, win);
    step("synchronize window");
    MPI_Put(from, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    accesses(right, INT, 0, 0);
    MPI_Win_fence(0, win);

    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &right, &to);
    MPI_Group_incl(all, 1, &left, &of);
    MPI_Win_post(of, 0, win);
    MPI_Win_start(to, 0, win);
    step("synchronize window");
    MPI_Put(from, 2, MPI_INT, right, 0, 2, MPI_INT, win);
    accesses(right, 2 * INT, 0, 0);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Group_free(&all);
    MPI_Group_free(&to);
    MPI_Group_free(&of);

    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    step("synchronize window");
    MPI_Get(into, 5, MPI_INT, right, 0, 5, MPI_INT, win);
    accesses(right, 0, 5 * INT, 1);
    MPI_Win_unlock(right, win);
    step("synchronize window");
}

static void free_window(MPI_Win *win)
{
    MPI_Win_free(win);
    step("free window");
}

int main(int argc, char **argv)
{
    static int memory[WORDS], attached[WORDS];
    MPI_Aint address, addresses[PROCESSES], size;
    MPI_Comm backwards;
    MPI_Win win;
    int *allocated, unit;

    open_expected_rows(&argc, &argv, PROCESSES);
    plain = argc > 2;
    const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;

    MPI_Type_vector(K, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);

    /* The rows of a freed window remain. */
    for (int round = 0; round < 2; round++) {
        MPI_Win_create(memory, sizeof memory, (int)INT, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        all_accesses(win, right, right, 0);
        all_accesses(win, world_rank, world_rank, 0);
        free_window(&win);
    }

    MPI_Win_allocate(sizeof memory, (int)INT, MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &win);
    all_accesses(win, right, right, 0);
    fence_and_post(win, right, left);
    free_window(&win);

    MPI_Win_allocate_shared(sizeof memory, (int)INT, MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &win);
    all_accesses(win, right, right, 0);
    /* Queries the neighbor's memory, so that reads and writes need no calls. */
    if (!plain) {
        MPI_Win_shared_query(win, right, &size, &unit, &allocated);
        require(size == (MPI_Aint)sizeof memory && unit == INT, "shared_query");
        MPI_Win_lock_all(0, win);
        allocated[WORDS - 1] = world_rank;
        MPI_Win_sync(win);
        MPI_Win_unlock_all(win);
    }
    free_window(&win);

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, attached, sizeof attached);
    MPI_Get_address(attached, &address);
    step("create window");
    MPI_Allgather(&address, 1, MPI_AINT, addresses, 1, MPI_AINT, MPI_COMM_WORLD);
    expect_collective("A2A", "MPI_COMM_WORLD", 1, (long)sizeof address);
    step("exchange addresses");
    all_accesses(win, right, right, addresses[right]);
    MPI_Win_fence(0, win);
    MPI_Win_detach(win, attached);
    free_window(&win);

    /* Ranks of a window are those of its group. */
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &backwards);
    MPI_Win_allocate(sizeof memory, (int)INT, MPI_INFO_NULL, backwards, &allocated, &win);
    all_accesses(win, world_size - 1 - right, right, 0);
    free_window(&win);
    MPI_Comm_free(&backwards);
    MPI_Type_free(&spread);

    return close_expected_rows();
}
