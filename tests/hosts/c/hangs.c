/* Programs that hang, for `mpit why`: `hangs KIND`, with 4 processes. Each kind has one mistake, in the function of its name. Before
 * it, all processes make three allreduces and a round of messages in a ring with tag 1. `alarm` ends the program if the test does not. */
#define _POSIX_C_SOURCE 200809L
#include "hangs.h"
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

/* Rank 1 waits for a message that rank 0 does not send, while the others are in an allreduce. */
static void skipped_allreduce(void)
{
    if (me == 1)
        receive(0, 99);
    allreduce();
}

/* Rank 2 leaves the loop one round before the others. */
static void early_finalize(void)
{
    for (int i = 0; i < (me == 2 ? 27 : 28); i++)
        allreduce();
}

static void computing(void)
{
    if (me == 2)
        for (volatile long i = 0;; i++)
            ;
    barrier();
}

static void sleeping(void)
{
    if (me == 2)
        for (;;)
            pause();
    barrier();
}

static void stopped(void)
{
    if (me == 2)
        raise(SIGSTOP);
    barrier();
}

static void gone(void)
{
    if (me == 2)
        raise(SIGKILL);
    barrier();
}

static void other_collective(void)
{
    if (me == 3)
        MPI_Alltoall(large_out, 1, MPI_INT, large_in, 1, MPI_INT, MPI_COMM_WORLD);
    else
        allreduce();
}

static void other_root(void)
{
    MPI_Bcast(large_in, LARGE, MPI_CHAR, me == 3 ? 3 : 0, MPI_COMM_WORLD);
    barrier();
}

/* Rank 3 receives fewer bytes than the others, so that it expects fewer parts. */
static void other_count(void)
{
    MPI_Bcast(large_in, me == 3 ? 16 : LARGE, MPI_CHAR, 0, MPI_COMM_WORLD);
    barrier();
}

static void wrong_tag(void)
{
    if (me == 0)
        receive(1, 5);
    if (me == 1)
        MPI_Send(&out, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    barrier();
}

static void wrong_communicator(void)
{
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_set_name(dup, "halo");
    if (me == 0)
        receive(1, 7);
    if (me == 1)
        MPI_Send(&out, 1, MPI_INT, 0, 7, dup);
    barrier();
}

static void send_cycle(void)
{
    MPI_Send(large_out, LARGE, MPI_CHAR, (me + 1) % PROCESSES, 2, MPI_COMM_WORLD);
    MPI_Recv(large_in, LARGE, MPI_CHAR, (me + PROCESSES - 1) % PROCESSES, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Ranks 1 and 2 send to each other; the others are in the next barrier. */
static void send_pair(void)
{
    if (me == 1 || me == 2) {
        MPI_Ssend(&out, 1, MPI_INT, 3 - me, 4, MPI_COMM_WORLD);
        receive(3 - me, 4);
    }
    barrier();
}

static void unreceived_send(void)
{
    if (me == 0)
        MPI_Ssend(&out, 1, MPI_INT, 3, 8, MPI_COMM_WORLD);
    barrier();
}

static void receive_cycle(void)
{
    receive((me + 1) % PROCESSES, 3);
    MPI_Send(&out, 1, MPI_INT, (me + PROCESSES - 1) % PROCESSES, 3, MPI_COMM_WORLD);
}

static void receive_from_any(void)
{
    if (me == 1)
        receive(MPI_ANY_SOURCE, 12);
    barrier();
}

static void probing(void)
{
    MPI_Status status;
    if (me == 2)
        MPI_Probe(0, 13, MPI_COMM_WORLD, &status);
    barrier();
}

/* Rank 0 waits for messages from 1 and 2; that from 2 is missing. */
static void waiting_for_one(void)
{
    MPI_Request requests[2];
    if (me == 0) {
        MPI_Irecv(&in, 1, MPI_INT, 1, 14, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&out, 1, MPI_INT, 2, 14, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else if (me == 1) {
        MPI_Send(&out, 1, MPI_INT, 0, 14, MPI_COMM_WORLD);
    }
    barrier();
}

static void exchange_of_other_tags(void)
{
    if (me < 2)
        MPI_Sendrecv(&out, 1, MPI_INT, 1 - me, 15, &in, 1, MPI_INT, 1 - me, me == 0 ? 16 : 15, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    barrier();
}

static void skipped_nonblocking(void)
{
    MPI_Request request;
    if (me == 3)
        receive(2, 17);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static MPI_Win window(void)
{
    int *memory;
    MPI_Win win;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    return win;
}

/* After a barrier, all ranks but 0 lock the window of rank 1. */
static void lock_of_others(MPI_Win win)
{
    barrier();
    if (me != 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Put(&out, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_unlock(1, win);
    }
    barrier();
}

/* Rank 0 has locked the window of rank 1 and goes to a barrier. */
static void kept_lock(void)
{
    MPI_Win win = window();
    if (me == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    if (me == 0) {
        MPI_Put(&out, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_flush(1, win);
    }
    lock_of_others(win);
}

/* Rank 0 has locked the windows of all, and goes to a barrier. */
static void kept_lock_all(void)
{
    MPI_Win win = window();
    if (me == 0) {
        MPI_Win_lock_all(0, win);
        MPI_Put(&out, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_flush_all(win);
    }
    lock_of_others(win);
}

static void skipped_fence(void)
{
    MPI_Win win = window();
    if (me == 3)
        receive(0, 18);
    MPI_Win_fence(0, win);
}

/* Rank 0 exposes its window to rank 1, which begins the accesses and does not complete them. */
static void unfinished_access(void)
{
    MPI_Win win = window();
    MPI_Group all, other;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (me < 2) {
        int peer = 1 - me;
        MPI_Group_incl(all, 1, &peer, &other);
    }
    if (me == 0) {
        MPI_Win_post(other, 0, win);
        MPI_Win_wait(win);
    } else if (me == 1) {
        MPI_Win_start(other, 0, win);
    }
    barrier();
}

static void skipped_dup(void)
{
    MPI_Comm dup;
    if (me == 2)
        receive(1, 19);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
}

/* Rank 0 and rank 1 use the communicators in different orders. */
static void communicator_order(void)
{
    MPI_Comm first, second;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    MPI_Comm_set_name(first, "first");
    MPI_Comm_set_name(second, "second");
    MPI_Barrier(me == 0 ? second : first);
    MPI_Barrier(me == 0 ? first : second);
}

/* In the half of the odd ranks, rank 3 does not take part in the reduction. */
static void skipped_in_half(void)
{
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
    MPI_Comm_set_name(half, me % 2 ? "odd" : "even");
    if (me == 3)
        receive(1, 20);
    MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, half);
    barrier();
}

static void skipped_open(void)
{
    MPI_File file;
    char name[64] = "hangs.data";
    if (me == 1)
        receive(3, 21);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
}

/* No mistake: computes, sleeps and communicates for the seconds of the second argument. */
static void healthy(double seconds)
{
    static MPI_Request requests[2];
    double start = MPI_Wtime();
    int more = 1;
    for (long round = 0; more; round++) {
        int right = (me + 1) % PROCESSES, left = (me + PROCESSES - 1) % PROCESSES;
        size_t bytes = round % 8 == 7 ? LARGE : 1000;
        MPI_Irecv(large_in, (int)bytes, MPI_CHAR, left, 2, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(large_out, (int)bytes, MPI_CHAR, right, 2, MPI_COMM_WORLD, &requests[1]);
        if (round % 50 == me)
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (me == 0)
            MPI_Send(&out, 1, MPI_INT, 1 + (int)(round % 3), 5, MPI_COMM_WORLD);
        else if (me == 1 + round % 3)
            receive(MPI_ANY_SOURCE, 5);
        allreduce();
        if (me == 0)
            more = MPI_Wtime() - start < seconds;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

static const struct kind kinds[] = {
    KIND(skipped_allreduce), KIND(early_finalize), KIND(computing), KIND(sleeping), KIND(stopped), KIND(gone),
    KIND(other_collective), KIND(other_root), KIND(other_count), KIND(wrong_tag), KIND(wrong_communicator), KIND(send_cycle),
    KIND(send_pair), KIND(unreceived_send), KIND(receive_cycle), KIND(receive_from_any), KIND(probing), KIND(waiting_for_one),
    KIND(exchange_of_other_tags), KIND(skipped_nonblocking), KIND(kept_lock), KIND(kept_lock_all), KIND(skipped_fence),
    KIND(unfinished_access), KIND(skipped_dup), KIND(communicator_order), KIND(skipped_in_half), KIND(skipped_open),
};

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    const char *pmi = getenv("PMI_RANK"), *pmix = getenv("PMIX_RANK");
    int known = 0;
    const unsigned limit = LIMIT_SECONDS + (argc > 2 ? atoi(argv[2]) : 0);
    const int is_second = atoi(pmix ? pmix : pmi ? pmi : "0") == 2;

    alarm(limit);
    /* Rank 2 does not reach MPI_Init. */
    if (strcmp(kind, "late_init") == 0 && is_second)
        for (;;)
            pause();
    /* The launcher would end the job, so it sees the parent of rank 2. */
    if (strcmp(kind, "gone") == 0 && is_second && fork() > 0) {
        wait(NULL);
        for (;;)
            pause();
    }
    /* A child does not inherit the alarm of its parent. */
    alarm(limit);
    MPI_Init(&argc, &argv);
    begin();
    if (strcmp(kind, "healthy") == 0 && argc > 2) {
        healthy(atof(argv[2]));
        known = 1;
    }
    known |= run_kind(kind, kinds, sizeof kinds / sizeof *kinds);
    require(known || strcmp(kind, "late_init") == 0, "unknown kind");
    MPI_Finalize();
    return 0;
}
