/* Makes calls of each area, and rank 0 prints the performance variables of single calls.
 *
 *     call_variables FILE        (2 processes)
 */
#include "require.h"
#include <string.h>

enum { MOST = 1000 };

static struct variable {
    char name[128];
    MPI_Datatype type;
    MPI_T_pvar_handle handle;
} variables[MOST];

static int number;

static void start_all(MPI_T_pvar_session session)
{
    int all;

    require(MPI_T_pvar_get_num(&all) == MPI_SUCCESS, "number of variables");
    for (int index = 0; index < all; index++) {
        struct variable *variable = &variables[number];
        int length = sizeof variable->name, verbosity, class, bind, is_read_only, is_continuous, is_atomic, count;
        MPI_T_enum values;
        if (MPI_T_pvar_get_info(index, variable->name, &length, &verbosity, &class, &variable->type, &values, NULL, NULL, &bind,
                                &is_read_only, &is_continuous, &is_atomic) != MPI_SUCCESS ||
            strncmp(variable->name, "calls_mpi_", strlen("calls_mpi_")))
            continue;
        require(MPI_T_pvar_handle_alloc(session, index, NULL, &variable->handle, &count) == MPI_SUCCESS, variable->name);
        require(count == 1, "one element");
        if (!is_continuous)
            require(MPI_T_pvar_start(session, variable->handle) == MPI_SUCCESS, variable->name);
        require(++number < MOST, "room for variables");
    }
}

static void print_all(MPI_T_pvar_session session)
{
    for (struct variable *variable = variables; variable < variables + number; variable++) {
        union {
            unsigned long long count;
            double seconds;
        } value = {0};
        require(MPI_T_pvar_read(session, variable->handle, &value) == MPI_SUCCESS, variable->name);
        if (variable->type == MPI_DOUBLE)
            printf("%s %.0f\n", variable->name, 1e9 * value.seconds);
        else
            printf("%s %llu\n", variable->name, value.count);
    }
}

static void communicate(int rank, const char *path)
{
    int out = rank, in, all[2];
    MPI_Request requests[2];
    MPI_Comm comm;
    MPI_Win window;
    MPI_File file;

    for (int i = 0; i < 5; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 0, &in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++) {
        MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 7; i++)
        MPI_Barrier(i % 2 ? comm : MPI_COMM_WORLD);
    MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, comm);
    MPI_Allgather(&out, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    MPI_Win_create(&all, sizeof all, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&out, 1, MPI_INT, 1 - rank, rank, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    require(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS, path);
    MPI_File_write_at(file, rank * (MPI_Offset)sizeof out, &out, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    int level, rank;
    MPI_T_pvar_session session;

    require(argc == 2, "the name of a file");
    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    require(MPI_T_pvar_session_create(&session) == MPI_SUCCESS, "session");
    start_all(session);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    communicate(rank, argv[1]);
    if (rank == 0)
        print_all(session);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
