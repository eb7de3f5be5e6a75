/* More programs that hang, for `mpit why`, with calls that are less usual than those of hangs.c: `further_hangs KIND`, with 4 processes.
 * Each kind has one mistake, in the function of its name. Ends with 77 if the library lacks the call. */
#include "hangs.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
/* Open MPI 5 has these calls of MPI 4. */
#if MPI_VERSION >= 4 || defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#define HAS_MPI_4
#endif
#ifdef HAS_MPI_4
#define BARRIER_INIT MPI_Barrier_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ) && OMPI_HAVE_MPI_EXT_PCOLLREQ
#define BARRIER_INIT MPIX_Barrier_init
#endif

enum { MISSING = 77, PARTITIONS = 4 };

static char port[MPI_MAX_PORT_NAME];

/* Each rank exchanges two messages with each other one; the second one from rank 3 to rank 0 is missing. */
static void halo(void)
{
    static int incoming[2 * PROCESSES];
    MPI_Request requests[4 * PROCESSES];
    MPI_Status statuses[4 * PROCESSES];
    int count = 0;
    for (int peer = 0; peer < PROCESSES; peer++)
        for (int i = 0; i < 2 && peer != me; i++)
            MPI_Irecv(&incoming[2 * peer + i], 1, MPI_INT, peer, 30 + i, MPI_COMM_WORLD, &requests[count++]);
    for (int peer = 0; peer < PROCESSES; peer++)
        for (int i = 0; i < 2 && peer != me; i++)
            if (me != 3 || peer != 0 || i == 0)
                MPI_Isend(&out, 1, MPI_INT, peer, 30 + i, MPI_COMM_WORLD, &requests[count++]);
    MPI_Waitall(count, requests, statuses);
    barrier();
}

static void skipped_write(void)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "further_hangs.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    if (me == 3)
        receive(0, 22);
    MPI_File_write_at_all(file, (MPI_Offset)me, large_out, 1, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

static void skipped_start(void)
{
#ifdef BARRIER_INIT
    MPI_Request request;
    BARRIER_INIT(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 3; i++) {
        if (me == 3 && i == 2)
            receive(2, 23);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
#else
    exit(MISSING);
#endif
}

/* Rank 2 does not receive the message in the buffer of rank 0. */
static void kept_buffer(void)
{
    void *buffer;
    int size = LARGE + MPI_BSEND_OVERHEAD;
    if (me == 0) {
        MPI_Buffer_attach(large_out, size);
        MPI_Bsend(large_in, LARGE, MPI_CHAR, 2, 24, MPI_COMM_WORLD);
        MPI_Buffer_detach(&buffer, &size);
    }
    barrier();
}

/* No program connects. */
static void accepting(void)
{
    MPI_Comm other;
    if (me == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
}

/* Rank 1 is to wait for the other program. */
static void skipped_accept(void)
{
    MPI_Comm other;
    if (me == 1)
        receive(3, 25);
    MPI_Comm_accept(port, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &other);
}

/* Rank 2 is to start the processes. */
static void skipped_spawn(void)
{
    MPI_Comm children;
    if (me == 2)
        receive(1, 26);
    MPI_Comm_spawn("false", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 2, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int is_complete)
{
    (void)state;
    (void)is_complete;
    return MPI_SUCCESS;
}

/* Rank 1 does not complete its request, whose handle may be that of an earlier one. */
static void generalized(void)
{
    MPI_Request request;
    if (me == 1) {
        MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, 27, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Grequest_start(query, release, cancel, NULL, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    barrier();
}

/* Rank 1 does not mark the last partition. */
static void unready_partition(void)
{
#ifdef HAS_MPI_4
    MPI_Request request = MPI_REQUEST_NULL;
    if (me == 0)
        MPI_Precv_init(large_in, PARTITIONS, 1, MPI_INT, 1, 28, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (me == 1)
        MPI_Psend_init(large_out, PARTITIONS, 1, MPI_INT, 0, 28, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (me < 2)
        MPI_Start(&request);
    if (me == 1) {
        MPI_Pready(0, request);
        MPI_Pready_range(1, PARTITIONS - 2, request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    barrier();
#else
    exit(MISSING);
#endif
}

static void skipped_group(void)
{
    const int members[] = {0, 1, 2};
    MPI_Group all, some;
    MPI_Comm comm;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 3, members, &some);
    if (me == 2)
        receive(0, 29);
    if (me < 3)
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 5, &comm);
    barrier();
}

static void mixed_barriers(void)
{
    MPI_Request request;
    if (me == 0) {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        barrier();
    }
}

static void polling(void)
{
    MPI_Request request;
    int done = 0;
    if (me == 2) {
        MPI_Irecv(&in, 1, MPI_INT, 0, 32, MPI_COMM_WORLD, &request);
        while (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    barrier();
}

/* Rank 1 waits for its part from rank 3, while the others have left the operation. */
static void left_scatter(void)
{
    MPI_Scatter(large_out, 1, MPI_INT, &in, 1, MPI_INT, me == 1 ? 3 : 0, MPI_COMM_WORLD);
    barrier();
}

/* Rank 2 sends its part and goes on. */
static void gather_of_one(void)
{
    if (me == 2)
        MPI_Gather(&out, 1, MPI_INT, large_in, 1, MPI_INT, 0, MPI_COMM_WORLD);
    barrier();
    allreduce();
}

static MPI_Comm half;

/* The halves of the even and of the odd ranks, with a communicator between them. */
static MPI_Comm between(int tag)
{
    MPI_Comm inter;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, tag, &inter);
    MPI_Comm_set_name(inter, "halves");
    return inter;
}

static void skipped_between(void)
{
    MPI_Comm inter = between(6);
    if (me == 3)
        receive(0, 33);
    MPI_Barrier(inter);
}

static void message_between(void)
{
    MPI_Comm inter = between(6);
    if (me == 0)
        MPI_Recv(&in, 1, MPI_INT, 1, 34, inter, MPI_STATUS_IGNORE);
    barrier();
}

static void skipped_merged(void)
{
    MPI_Comm merged;
    MPI_Intercomm_merge(between(6), me % 2, &merged);
    if (me == 2)
        receive(0, 35);
    MPI_Barrier(merged);
}

static void other_tag_between(void)
{
    between(me % 2 ? 8 : 7);
}

static const struct kind kinds[] = {
    KIND(halo), KIND(skipped_write), KIND(skipped_start), KIND(kept_buffer), KIND(accepting), KIND(skipped_accept),
    KIND(skipped_spawn), KIND(generalized), KIND(unready_partition), KIND(skipped_group), KIND(mixed_barriers), KIND(polling),
    KIND(left_scatter), KIND(gather_of_one), KIND(skipped_between), KIND(message_between), KIND(skipped_merged),
    KIND(other_tag_between),
};

int main(int argc, char **argv)
{
    alarm(LIMIT_SECONDS);
    MPI_Init(&argc, &argv);
    begin();
    require(argc > 1 && run_kind(argv[1], kinds, sizeof kinds / sizeof *kinds), "unknown kind");
    MPI_Finalize();
    return 0;
}
