/* Ends with the tools interface in a given state: `final_output MODE CODE`, where CODE is the exit status.
 *
 *     none       the interface was not used
 *     started    a handle is started
 *     stopped    a handle was started and stopped
 *     flushed    a phase was written to phase.<rank>.prof
 *     late       the interface is finalized after MPI, with a handle started until then
 *
 * Each process sends one int to its right neighbor. */
#include "require.h"

#include <string.h>

static MPI_T_pvar_session session;

static MPI_T_pvar_handle start(const char *name, int class, MPI_Comm *comm)
{
    MPI_T_pvar_handle handle;
    int index, count;

    require_success(MPI_T_pvar_get_index(name, class, &index), name);
    require_success(MPI_T_pvar_handle_alloc(session, index, comm, &handle, &count), "handle");
    if (!comm)
        require_success(MPI_T_pvar_write(session, handle, (char[4096]){"phase"}), "write");
    require_success(MPI_T_pvar_start(session, handle), "start");
    return handle;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "none";
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    MPI_Comm world = MPI_COMM_WORLD;
    int rank, size, level, sum = 0, in;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    const int uses = strcmp(mode, "none") != 0, flushes = strcmp(mode, "flushed") == 0, late = strcmp(mode, "late") == 0;
    if (uses) {
        require_success(MPI_T_init_thread(MPI_THREAD_SINGLE, &level), "MPI_T_init_thread");
        require_success(MPI_T_pvar_session_create(&session), "session");
        handle = flushes ? start("pml_monitoring_flush", MPI_T_PVAR_CLASS_GENERIC, NULL)
                         : start("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, &world);
    }
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 7, &in, 1, MPI_INT, (rank + size - 1) % size, 7, world,
                 MPI_STATUS_IGNORE);
    MPI_Reduce(&in, &sum, 1, MPI_INT, MPI_SUM, 0, world);
    if (rank == 0) {
        printf("result %d\n", sum);
        fflush(stdout);
    }
    if (flushes || strcmp(mode, "stopped") == 0)
        require_success(MPI_T_pvar_stop(session, handle), "stop");
    if (uses && !late)
        require_success(MPI_T_finalize(), "MPI_T_finalize");
    MPI_Finalize();
    if (late)
        require_success(MPI_T_finalize(), "MPI_T_finalize");
    return argc > 2 ? atoi(argv[2]) : EXIT_SUCCESS;
}
