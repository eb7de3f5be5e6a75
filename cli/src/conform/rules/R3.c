/* R3: A failed call runs no error handler, and MPI works as before. */
#include "conform.h"
static int runs;
static void count_run(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code, runs++;
}
int main(void)
{
    int index, failed = 0, sent = 7, received = 0;
    MPI_Errhandler handler;
    INIT();
    MPI_Comm_create_errhandler(count_run, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    failed += MPI_T_cvar_get_index("no such name", &index) != MPI_SUCCESS;
    failed += MPI_T_pvar_get_index("no such name", MPI_T_PVAR_CLASS_COUNTER, &index) != MPI_SUCCESS;
    failed += MPI_T_category_get_index("no such name", &index) != MPI_SUCCESS;
    MPI_Sendrecv(&sent, 1, MPI_INT, 0, 0, &received, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    if (runs || received != sent)
        FAILS("after %d failed calls, an error handler ran %d times, and %d was received for 7", failed, runs, received);
    HOLDS(failed == 3, "functions that refuse an unknown name");
}
