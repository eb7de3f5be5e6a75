/* Uses MPI by a session, without MPI_Init. Records use ranks in MPI_COMM_WORLD, which does not exist here.
 *
 *     session_only           (any number of processes)
 *
 * Process 0 prints the number of processes. */
#include <mpi.h>
#include <stdio.h>

int main(void)
{
    int rank, size, one = 1, sum = 0;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm, twin;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "session_only", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_dup(comm, &twin);
    MPI_Sendrecv(&one, 1, MPI_INT, (rank + 1) % size, 7, &sum, 1, MPI_INT, (rank + size - 1) % size, 7, twin,
                 MPI_STATUS_IGNORE);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&twin);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    if (rank == 0)
        printf("%d processes\n", sum);
    return 0;
}
