/* Initializes and finalizes MPI and its tools interface in any order.
 *
 *     lifecycle SEQUENCE     (any number of processes)
 *
 * i: MPI_T_init_thread   f: MPI_T_finalize   I: MPI_Init   F: MPI_Finalize   q: query the names of all performance variables
 * n: as q, but the interface is not initialized, and must return that code   x: MPI_T_finalize, which must fail
 * A: MPI_Abort   s: spawn a process with its own sequence   C: in that process, send a reply to its parent */
#include "query_all.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(char step, int rc)
{
    fprintf(stderr, "lifecycle: %c: error %d\n", step, rc);
    exit(EXIT_FAILURE);
}

/* The spawned process sends its result, unless it fails earlier. */
static int spawn(char *program)
{
    char *arguments[] = {"niqIqCFfn", NULL};
    int rc, answer = 0;
    MPI_Comm child;
    rc = MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child, MPI_ERRCODES_IGNORE);
    if (rc == MPI_SUCCESS)
        rc = MPI_Recv(&answer, 1, MPI_INT, 0, 0, child, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&child);
    return answer == 42 ? rc : MPI_ERR_OTHER;
}

static int answer_parent(void)
{
    int answer = 42, index;
    MPI_Comm parent;
    MPI_Comm_get_parent(&parent);
    /* Checks that mpit is loaded in this process, too. */
    if (MPI_T_pvar_get_index("pml_monitoring_messages_total", MPI_T_PVAR_CLASS_COUNTER, &index) != MPI_SUCCESS)
        answer = 0;
    MPI_Send(&answer, 1, MPI_INT, 0, 0, parent);
    return MPI_Comm_disconnect(&parent);
}

int main(int argc, char **argv)
{
    for (const char *step = argc > 1 ? argv[1] : ""; *step; step++) {
        int provided, rc = MPI_SUCCESS;
        switch (*step) {
        case 'i':
            rc = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
            break;
        case 'f':
            rc = MPI_T_finalize();
            break;
        case 'I':
            rc = MPI_Init(&argc, &argv);
            break;
        case 'F':
            rc = MPI_Finalize();
            break;
        case 'q':
            rc = query_all();
            break;
        case 'n':
            rc = query_all() == MPI_T_ERR_NOT_INITIALIZED ? MPI_SUCCESS : MPI_ERR_OTHER;
            break;
        case 'x':
            rc = MPI_T_finalize() == MPI_SUCCESS ? MPI_ERR_OTHER : MPI_SUCCESS;
            break;
        case 's':
            rc = spawn(argv[0]);
            break;
        case 'C':
            rc = answer_parent();
            break;
        case 'A':
            rc = MPI_Abort(MPI_COMM_WORLD, 3);
            break;
        }
        if (rc != MPI_SUCCESS)
            fail(*step, rc);
    }
    return EXIT_SUCCESS;
}
