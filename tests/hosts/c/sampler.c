/* Samples all performance variables as many tools do: in order, bound to MPI_COMM_WORLD if they need a communicator, and
 * stopping at the first variable for which no handle can be allocated.
 *
 *     sampler                (any number of processes)
 *
 * Rank 0 prints for each variable that was read its name and the number of its elements. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, provided, variables;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_T_pvar_session session;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS
        || MPI_T_pvar_session_create(&session) != MPI_SUCCESS || MPI_T_pvar_get_num(&variables) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);

    for (int index = 0; index < variables; index++) {
        char name[256];
        int length = sizeof name, verbosity, class, bind, readonly, continuous, atomic, count;
        MPI_Datatype type;
        MPI_T_enum values;
        MPI_T_pvar_handle handle;

        int rc = MPI_T_pvar_get_info(index, name, &length, &verbosity, &class, &type, &values, NULL, NULL, &bind,
                                     &readonly, &continuous, &atomic);
        if (rc == MPI_SUCCESS) {
            void *object = bind == MPI_T_BIND_MPI_COMM ? &world : NULL;
            rc = MPI_T_pvar_handle_alloc(session, index, object, &handle, &count);
        }
        if (rc != MPI_SUCCESS) {
            if (rank == 0)
                printf("gave up at %d: error %d\n", index, rc);
            break;
        }
        if (!continuous)
            rc = MPI_T_pvar_start(session, handle);
        /* The largest size of a variable's datatype. */
        unsigned long long *value = calloc((size_t)count + 1, sizeof *value);
        if (rc == MPI_SUCCESS)
            rc = MPI_T_pvar_read(session, handle, value);
        if (rank == 0)
            printf("%s %s %d\n", rc == MPI_SUCCESS ? "read" : "failed", name, count);
        free(value);
        MPI_T_pvar_handle_free(session, &handle);
    }
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
