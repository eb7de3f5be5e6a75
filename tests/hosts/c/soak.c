/* Creates and frees objects repeatedly: `soak CYCLES STORE`. Prints for each kind of object the growth of the process's
 * memory and of the file STORE in bytes during the second half of the cycles. One process. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int one = 1, other;

static void use(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Allreduce(&one, &other, 1, MPI_INT, MPI_SUM, comm);
    MPI_Irecv(&other, 1, MPI_INT, 0, 0, comm, &request);
    MPI_Send(&one, 1, MPI_INT, 0, 0, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void windows(void)
{
    MPI_Win win;
    int *base;
    MPI_Win_allocate(sizeof *base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void requests(void)
{
    MPI_Request requests[2];
    MPI_Recv_init(&other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Irecv(&other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Iallreduce(&one, &other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

/* A variable that is bound to a communicator. */
static int pvar;

static void handles_on(MPI_Comm comm, int outlive)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    MPI_T_cvar_handle cvar;
    int count = 0;
    static unsigned long long values[64];
    MPI_T_pvar_session_create(&session);
    if (MPI_T_pvar_handle_alloc(session, pvar, &comm, &handle, &count) == MPI_SUCCESS) {
        MPI_T_pvar_start(session, handle);
        if (count <= 64)
            MPI_T_pvar_read(session, handle, values);
        if (outlive)
            MPI_Comm_free(&comm);
        MPI_T_pvar_stop(session, handle);
        MPI_T_pvar_handle_free(session, &handle);
    }
    MPI_T_pvar_session_free(&session);
    if (MPI_T_cvar_handle_alloc(0, NULL, &cvar, &count) == MPI_SUCCESS)
        MPI_T_cvar_handle_free(&cvar);
}

static void handles(void)
{
    handles_on(MPI_COMM_WORLD, 0);
}

static const struct kind {
    const char *name;
    /* One cycle; null for a communicator, and what is done with it. */
    void (*cycle)(void);
    int is_split, is_used, is_bound, outlives;
    /* One cycle for so many of the fastest kinds. */
    int slow;
} KINDS[] = {
    {"duplicates", NULL, 0, 0, 0, 0, 1},
    {"used-duplicates", NULL, 0, 1, 0, 0, 1},
    {"splits", NULL, 1, 0, 0, 0, 1},
    {"used-splits", NULL, 1, 1, 0, 0, 1},
    {"windows", windows, 0, 0, 0, 0, 4},
    {"requests", requests, 0, 0, 0, 0, 1},
    {"handles", handles, 0, 0, 1, 0, 1},
    {"bound-duplicates", NULL, 0, 1, 1, 0, 4},
    {"outlived-duplicates", NULL, 0, 1, 1, 1, 4},
};

static void cycle(const struct kind *kind)
{
    MPI_Comm comm;
    if (kind->cycle) {
        kind->cycle();
        return;
    }
    if (kind->is_split)
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
    else
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (kind->is_used)
        use(comm);
    if (kind->is_bound)
        handles_on(comm, kind->outlives);
    if (!kind->outlives)
        MPI_Comm_free(&comm);
}

static long memory(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        exit(3);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static long on_disk(const char *path)
{
    struct stat file;
    return stat(path, &file) ? 0 : (long)file.st_size;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    int provided;
    long cycles = atol(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    int has_pvar = MPI_T_pvar_get_index("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, &pvar) == MPI_SUCCESS;
    for (unsigned kind = 0; kind < sizeof KINDS / sizeof *KINDS; kind++) {
        if (KINDS[kind].is_bound && !has_pvar)
            continue;
        long half = cycles / KINDS[kind].slow / 2;
        for (long at = 0; at < half; at++)
            cycle(&KINDS[kind]);
        long memory_then = memory(), file_then = on_disk(argv[2]);
        for (long at = 0; at < half; at++)
            cycle(&KINDS[kind]);
        printf("%s %ld %ld\n", KINDS[kind].name, memory() - memory_then, on_disk(argv[2]) - file_then);
        fflush(stdout);
    }
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
