/* Programs without a mistake, for `mpit why`: `healthy KIND SECONDS`, with 4 processes. In each round some process is late, and some
 * calls take long. */
#define _POSIX_C_SOURCE 200809L
#include "require.h"
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 4, LONG = 1 << 20 };

static int me, in, out;
static char long_in[LONG], long_out[LONG];
static MPI_Comm world;

static void rest(int milliseconds)
{
    nanosleep(&(struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L}, NULL);
}

static void compute(int milliseconds)
{
    for (double start = MPI_Wtime(); MPI_Wtime() - start < milliseconds / 1e3;)
        ;
}

/* Polls for messages, with and without requests. */
static void messages(long round)
{
    int right = (me + 1) % PROCESSES, left = (me + PROCESSES - 1) % PROCESSES, done = 0;
    MPI_Request requests[2];
    MPI_Status status;

    MPI_Irecv(long_in, LONG, MPI_CHAR, left, 2, world, &requests[0]);
    MPI_Isend(long_out, round % 3 ? LONG : 8, MPI_CHAR, right, 2, world, &requests[1]);
    while (!done)
        MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    if (round % PROCESSES == me)
        rest(300);
    if (me == 0) {
        for (int i = 1; i < PROCESSES; i++)
            MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 3, world, MPI_STATUS_IGNORE);
        for (int i = 1; i < PROCESSES; i++)
            MPI_Ssend(&out, 1, MPI_INT, i, 4, world);
    } else {
        MPI_Send(&out, 1, MPI_INT, 0, 3, world);
        for (done = 0; !done;)
            MPI_Iprobe(0, 4, world, &done, &status);
        MPI_Recv(&in, 1, MPI_INT, 0, 4, world, MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv(&out, 1, MPI_INT, right, 5, &in, 1, MPI_INT, left, 5, world, MPI_STATUS_IGNORE);
}

/* Halves that make different numbers of operations, and communicators that exist for a moment. */
static void collectives(long round)
{
    MPI_Comm half, copy;
    MPI_Request request;

    MPI_Comm_split(world, me % 2, -me, &half);
    for (int i = 0; i < (me % 2 ? 3 : 1); i++)
        MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, half);
    if (round % PROCESSES == me)
        compute(300);
    MPI_Comm_dup(half, &copy);
    MPI_Comm_free(&half);
    MPI_Bcast(long_in, LONG, MPI_CHAR, 1, copy);
    MPI_Comm_free(&copy);
    MPI_Ibarrier(world, &request);
    if (round % PROCESSES == 3 - me)
        rest(300);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Reduce(&out, &in, 1, MPI_INT, MPI_SUM, (int)(round % PROCESSES), world);
    MPI_Gather(&out, 1, MPI_INT, long_in, 1, MPI_INT, 2, world);
}

/* The locks of this window are kept while the program runs. */
static MPI_Win kept;

/* Locks that are held while others wait, and targets that are busy elsewhere. */
static void windows(long round)
{
    static int *memory, *shared;
    static MPI_Win win;
    MPI_Group all, others;
    int target = (int)(round % PROCESSES), rest_of[PROCESSES - 1], count = 0;

    if (!memory)
        MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &win);
    if (!shared) {
        MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, world, &shared, &kept);
        MPI_Win_lock_all(0, kept);
    }
    MPI_Accumulate(&out, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, kept);
    MPI_Win_flush_all(kept);
    MPI_Win_fence(0, win);
    MPI_Put(&out, 1, MPI_INT, (me + 1) % PROCESSES, 0, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Accumulate(&out, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(target, win);
    if (me == 1)
        compute(300);
    MPI_Win_unlock(target, win);
    /* Locks of all processes would otherwise exclude those that wait for one. */
    MPI_Barrier(world);
    MPI_Win_lock_all(0, win);
    MPI_Get(&in, 1, MPI_INT, target, 0, 1, MPI_INT, win);
    MPI_Win_flush_all(win);
    if (me == 2)
        rest(300);
    MPI_Barrier(world);
    MPI_Win_unlock_all(win);
    MPI_Comm_group(world, &all);
    for (int i = 0; i < PROCESSES; i++)
        if (i != target)
            rest_of[count++] = i;
    if (me == target) {
        MPI_Group_incl(all, count, rest_of, &others);
        rest(100);
        MPI_Win_post(others, 0, win);
        MPI_Win_wait(win);
    } else {
        MPI_Group_incl(all, 1, &target, &others);
        MPI_Win_start(others, 0, win);
        MPI_Put(&out, 1, MPI_INT, target, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
    }
    MPI_Group_free(&others);
    MPI_Group_free(&all);
}

static void *receive_in_thread(void *unused)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, (me + 1) % PROCESSES, 6, world, MPI_STATUS_IGNORE);
    rest(100);
    MPI_Recv(&value, 1, MPI_INT, (me + 1) % PROCESSES, 7, world, MPI_STATUS_IGNORE);
    return unused;
}

/* One thread waits for messages while another one is in collective operations, and sends. */
static void threads(long round)
{
    pthread_t thread;
    int left = (me + PROCESSES - 1) % PROCESSES;

    require(pthread_create(&thread, NULL, receive_in_thread, NULL) == 0, "no thread");
    MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, world);
    if (round % PROCESSES == me)
        rest(300);
    MPI_Send(&out, 1, MPI_INT, left, 6, world);
    MPI_Barrier(world);
    MPI_Send(&out, 1, MPI_INT, left, 7, world);
    pthread_join(thread, NULL);
}

/* Files of one process and of all. */
static void files(long round)
{
    MPI_File file;
    MPI_Request request;
    char name[32];

    snprintf(name, sizeof name, "healthy.%d", me);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    for (int i = 0; i < (me == round % PROCESSES ? 100 : 1); i++) {
        MPI_File_iwrite_at(file, (MPI_Offset)i * LONG, long_out, LONG, MPI_CHAR, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_File_sync(file);
    MPI_File_close(&file);
    MPI_File_open(world, "healthy.all", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, (MPI_Offset)me * LONG, long_out, LONG, MPI_CHAR, MPI_STATUS_IGNORE);
    if (me == round % PROCESSES)
        rest(300);
    MPI_File_close(&file);
}

/* Communicators between halves of the world. */
static void groups(long round)
{
    MPI_Comm half, inter, merged;

    MPI_Comm_split(world, me % 2, me, &half);
    MPI_Intercomm_create(half, 0, world, 1 - me % 2, 9, &inter);
    if (round % PROCESSES == me)
        rest(300);
    MPI_Barrier(inter);
    MPI_Bcast(&in, 1, MPI_INT, me == 0 ? MPI_ROOT : me == 2 ? MPI_PROC_NULL : 0, inter);
    if (me == 0)
        MPI_Ssend(&out, 1, MPI_INT, 1, 10, inter);
    if (me == 3)
        MPI_Recv(&in, 1, MPI_INT, 0, 10, inter, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(inter, me % 2, &merged);
    if (round % PROCESSES == 3 - me)
        compute(300);
    MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* Many requests, inactive ones among them, buffered messages, and operations that some processes leave early. */
static void further(long round)
{
    static MPI_Request persistent = MPI_REQUEST_NULL;
    static char buffer[PROCESSES * (MPI_BSEND_OVERHEAD + 100)];
    static int incoming[4 * PROCESSES];
    MPI_Request requests[8 * PROCESSES + 1];
    MPI_Status statuses[8 * PROCESSES + 1];
    MPI_Group all, others;
    MPI_Comm some;
    void *detached;
    int count = 0, size = sizeof buffer, last = PROCESSES - 1, left = (me + PROCESSES - 1) % PROCESSES;

    for (int i = 0; i < 4 * PROCESSES; i++)
        MPI_Irecv(&incoming[i], 1, MPI_INT, i / 4, 20 + i % 4, world, &requests[count++]);
    if (round % PROCESSES == me)
        rest(300);
    for (int i = 0; i < 4 * PROCESSES; i++)
        MPI_Isend(&out, 1, MPI_INT, i / 4, 20 + i % 4, world, &requests[count++]);
    if (persistent == MPI_REQUEST_NULL)
        MPI_Recv_init(&in, 1, MPI_INT, left, 30, world, &persistent);
    if (round % 2) {
        MPI_Send(&out, 1, MPI_INT, (me + 1) % PROCESSES, 30, world);
        MPI_Start(&persistent);
    }
    requests[count++] = persistent;
    MPI_Waitall(count, requests, statuses);
    MPI_Buffer_attach(buffer, size);
    for (int i = 0; i < PROCESSES; i++)
        MPI_Bsend(&out, 1, MPI_INT, i, 31, world);
    if (round % PROCESSES == 1 - me % 2)
        rest(200);
    for (int i = 0; i < PROCESSES; i++)
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 31, world, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&detached, &size);
    /* The root of most operations is the first or the last one to enter them. */
    for (int i = 0; i < 20; i++)
        MPI_Bcast(&out, 1, MPI_INT, i % PROCESSES, world);
    if (round % PROCESSES == me)
        compute(200);
    MPI_Scatter(incoming, 1, MPI_INT, &in, 1, MPI_INT, (int)(round % PROCESSES), world);
    MPI_Exscan(&out, &in, 1, MPI_INT, MPI_SUM, world);
    MPI_Ibcast(&out, 1, MPI_INT, last, world, &requests[0]);
    MPI_Ibarrier(world, &requests[1]);
    if (round % PROCESSES == 2)
        rest(200);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_group(world, &all);
    MPI_Group_excl(all, 1, &last, &others);
    if (me != last) {
        if (me == 0)
            rest(200);
        MPI_Comm_create_group(world, others, 3, &some);
        MPI_Barrier(some);
        MPI_Comm_free(&some);
    }
    MPI_Group_free(&others);
    MPI_Group_free(&all);
}

static MPI_Comm with_others;

static void worlds(long round)
{
    int rank;

    MPI_Comm_rank(with_others, &rank);
    /* The last one is in the other world. */
    if (rank == PROCESSES || rank == round % PROCESSES)
        rest(300);
    if (rank == 2)
        MPI_Recv(&in, 1, MPI_INT, PROCESSES, 11, with_others, MPI_STATUS_IGNORE);
    if (rank == PROCESSES)
        MPI_Send(&out, 1, MPI_INT, 2, 11, with_others);
    MPI_Barrier(with_others);
    if (rank == 1)
        MPI_Recv(&in, 1, MPI_INT, 0, 12, with_others, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Send(&out, 1, MPI_INT, 1, 12, with_others);
}

static const struct {
    const char *name;
    void (*run)(long round);
} kinds[] = {
#define KIND(name) {#name, name}
    KIND(messages), KIND(collectives), KIND(windows), KIND(threads), KIND(files), KIND(groups), KIND(further), KIND(worlds),
};

static void join_worlds(char *program, char **words)
{
    MPI_Comm parent, inter;

    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
    else
        inter = parent;
    MPI_Intercomm_merge(inter, parent != MPI_COMM_NULL, &with_others);
    MPI_Comm_disconnect(&inter);
    world = with_others;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 2 ? argv[1] : "";
    double seconds = argc > 2 ? atof(argv[2]) : 0;
    int level, more = 1, known = 0;

    alarm((unsigned)seconds + 60);
    MPI_Init_thread(&argc, &argv, strcmp(kind, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    world = MPI_COMM_WORLD;
    if (strcmp(kind, "worlds") == 0)
        join_worlds(argv[0], argv + 1);
    MPI_Comm_rank(world, &me);
    double start = MPI_Wtime();
    for (long round = 0; more; round++) {
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            if (strcmp(kind, kinds[i].name) == 0) {
                kinds[i].run(round);
                known = 1;
            }
        }
        require(known, "unknown kind");
        if (me == 0)
            more = MPI_Wtime() - start < seconds;
        MPI_Bcast(&more, 1, MPI_INT, 0, world);
    }
    if (strcmp(kind, "worlds") == 0)
        MPI_Comm_disconnect(&with_others);
    if (strcmp(kind, "windows") == 0) {
        MPI_Win_unlock_all(kept);
        MPI_Win_free(&kept);
    }
    MPI_Finalize();
    return 0;
}
