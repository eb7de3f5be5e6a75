/* A tool in a program of two ranks, for MPICH with mpit in it (cargo xtask implementor mpich): lists all variables, MPICH's own and those
 * of mpit, and compares numbers that both have. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

static int rank;

static void must(int is_right, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
}
#define MUST(CONDITION) must(CONDITION, #CONDITION)
#define OK(CALL) must((CALL) == MPI_SUCCESS, #CALL)

/* Lists all variables; returns how many there are. */
static int list(int is_printed)
{
    int cvars, pvars, class, bind;
    char name[200];
    OK(MPI_T_cvar_get_num(&cvars));
    for (int at = 0; at < cvars; at++) {
        int len = sizeof name;
        OK(MPI_T_cvar_get_info(at, name, &len, NULL, NULL, NULL, NULL, NULL, &bind, NULL));
        if (is_printed && (at < 2 || at >= cvars - 2))
            printf("cvar %3d %s\n", at, name);
    }
    OK(MPI_T_pvar_get_num(&pvars));
    for (int at = 0; at < pvars; at++) {
        int len = sizeof name, found;
        OK(MPI_T_pvar_get_info(at, name, &len, NULL, &class, NULL, NULL, NULL, NULL, &bind, NULL, NULL, NULL));
        OK(MPI_T_pvar_get_index(name, class, &found));
        MUST(found == at);
        if (is_printed)
            printf("pvar %3d %s, class %d\n", at, name, class - MPI_T_PVAR_CLASS_STATE);
    }
    return cvars + pvars;
}

static MPI_T_pvar_session session;

static MPI_T_pvar_handle start(const char *name, int class, int is_continuous)
{
    int index, count;
    MPI_T_pvar_handle handle;
    must(MPI_T_pvar_get_index(name, class, &index) == MPI_SUCCESS, name);
    OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
    if (!is_continuous)
        OK(MPI_T_pvar_start(session, handle));
    return handle;
}

static unsigned long long value(MPI_T_pvar_handle handle)
{
    unsigned long long value = 0;
    OK(MPI_T_pvar_read(session, handle, &value));
    return value;
}

static int events;

static void on_event(MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety safety, void *user_data)
{
    int source, tag;
    (void)registration, (void)safety, (void)user_data;
    OK(MPI_T_event_read(event, 0, &source));
    OK(MPI_T_event_read(event, 1, &tag));
    if (source == 0 && tag >= 100 && tag < 108)
        events++;
}

int main(int argc, char **argv)
{
    enum { MESSAGES = 8, SMALL = 100, LARGE = 20000 };
    static char buffer[MESSAGES][LARGE];
    int provided, before, event, own_number, flag;
    double waiting;
    MPI_T_event_registration registration;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    before = list(0);
    OK(MPI_Init(&argc, &argv));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%d variables before MPI_Init\n", before);
    list(rank == 0);
    OK(MPI_T_pvar_session_create(&session));
    MPI_T_pvar_handle own = start("unexpected_recvq_length", MPI_T_PVAR_CLASS_LEVEL, 1);
    MPI_T_pvar_handle length = start("mpich_unexpected_messages", MPI_T_PVAR_CLASS_LEVEL, 0);
    MPI_T_pvar_handle most = start("mpich_unexpected_messages", MPI_T_PVAR_CLASS_HIGHWATERMARK, 0);
    MPI_T_pvar_handle posted = start("mpich_posted_receives", MPI_T_PVAR_CLASS_HIGHWATERMARK, 0);
    MPI_T_pvar_handle eager = start("mpich_eager_messages", MPI_T_PVAR_CLASS_COUNTER, 0);
    MPI_T_pvar_handle eager_bytes = start("mpich_eager_bytes", MPI_T_PVAR_CLASS_AGGREGATE, 0);
    MPI_T_pvar_handle rendezvous = start("mpich_rendezvous_messages", MPI_T_PVAR_CLASS_COUNTER, 0);
    MPI_T_pvar_handle rendezvous_bytes = start("mpich_rendezvous_bytes", MPI_T_PVAR_CLASS_AGGREGATE, 0);
    MPI_T_pvar_handle polls = start("mpich_progress_polls", MPI_T_PVAR_CLASS_COUNTER, 0);
    MPI_T_pvar_handle waits = start("mpich_progress_waiting", MPI_T_PVAR_CLASS_TIMER, 0);
    OK(MPI_T_event_get_index("mpich_unexpected_message", &event));
    OK(MPI_T_event_handle_alloc(event, NULL, MPI_INFO_NULL, &registration));
    OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_INFO_NULL, NULL, on_event));
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_T_pvar_reset(session, eager));
    OK(MPI_T_pvar_reset(session, eager_bytes));

    MPI_Request requests[MESSAGES];
    if (rank == 0) {
        for (int at = 0; at < MESSAGES; at++)
            MPI_Isend(buffer[at], SMALL, MPI_CHAR, 1, 100 + at, MPI_COMM_WORLD, &requests[at]);
        MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
        MUST(value(eager) == MESSAGES && value(eager_bytes) == MESSAGES * SMALL);
        MPI_Barrier(MPI_COMM_WORLD);
        /* Longer than mpich_eager_limit, which the environment has set, and shorter than MPICH's own limit. */
        for (int at = 0; at < MESSAGES; at++)
            MPI_Isend(buffer[at], LARGE, MPI_CHAR, 1, 200 + at, MPI_COMM_WORLD, &requests[at]);
        MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
        MUST(value(rendezvous) == MESSAGES && value(rendezvous_bytes) == MESSAGES * LARGE);
        printf("rank 0: %d messages eager, %llu by rendezvous with %llu bytes\n", MESSAGES, value(rendezvous),
               value(rendezvous_bytes));
    } else {
        /* The probe finds the last message, so all of them have arrived. */
        do
            MPI_Iprobe(0, 100 + MESSAGES - 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        while (!flag);
        OK(MPI_T_pvar_read(session, own, &own_number));
        MUST(own_number >= MESSAGES && value(length) == (unsigned long long)own_number);
        printf("rank 1: %d unexpected messages by MPICH's own variable, %llu by mpit's, %d events\n", own_number, value(length),
               events);
        MUST(events == MESSAGES);
        for (int at = 0; at < MESSAGES; at++)
            MPI_Recv(buffer[at], SMALL, MPI_CHAR, 0, 100 + at, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MUST(value(most) >= MESSAGES && value(length) == 0);
        for (int at = 0; at < MESSAGES; at++)
            MPI_Irecv(buffer[at], LARGE, MPI_CHAR, 0, 200 + at, MPI_COMM_WORLD, &requests[at]);
        MUST(value(posted) >= MESSAGES);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
        OK(MPI_T_pvar_read(session, waits, &waiting));
        MUST(value(polls) > 0 && waiting > 0);
        printf("rank 1: at most %llu unexpected and %llu posted\n", value(most), value(posted));
    }
    OK(MPI_T_event_handle_free(registration, NULL, NULL));
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
    return MPI_Finalize();
}
