/* Initializes and finalizes MPI and its tools interface in any order.
 *
 *     lifecycle SEQUENCE     (any number of processes)
 *
 * i: MPI_T_init_thread   m: the same with MPI_THREAD_MULTIPLE   f: MPI_T_finalize   I: MPI_Init   F: MPI_Finalize
 * q: query the tools interface   n: as q, but the interface is not initialized, and must return that code
 * u: as n, with any code
 * x: MPI_T_finalize, which must fail   A: MPI_Abort   s: spawn a process with its own sequence
 * C: in that process, send a reply to its parent */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Queries all performance variables; returns the code of the query of their number. */
static int query_all(void)
{
    int count, rc = MPI_T_pvar_get_num(&count);
    for (int i = 0; i < count && rc == MPI_SUCCESS; i++) {
        char name[256], text[256];
        int length = sizeof name, text_length = sizeof text, verbosity, class, bind, readonly, continuous, atomic;
        MPI_Datatype type;
        MPI_T_enum values;
        /* The query of a removed variable fails, which is not a failure of the interface. */
        MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &values, text, &text_length, &bind, &readonly,
                            &continuous, &atomic);
    }
    return rc;
}

/* Makes all queries of an initialized interface; returns the first error. */
static int query(void)
{
    int count, rc = query_all();
    MPI_T_pvar_session session;
    if (rc == MPI_SUCCESS)
        rc = MPI_T_pvar_session_create(&session);
    if (rc == MPI_SUCCESS)
        rc = MPI_T_pvar_session_free(&session);
    if (rc == MPI_SUCCESS)
        rc = MPI_T_category_get_num(&count);
    return rc == MPI_SUCCESS ? MPI_T_cvar_get_num(&count) : rc;
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

static int init_tools(int required)
{
    int provided = -1;
    const int rc = MPI_T_init_thread(required, &provided);
    return rc == MPI_SUCCESS && provided < MPI_THREAD_SINGLE ? MPI_ERR_OTHER : rc;
}

static int take(char step, char *program)
{
    int argc = 0;
    switch (step) {
    case 'i': return init_tools(MPI_THREAD_SINGLE);
    case 'm': return init_tools(MPI_THREAD_MULTIPLE);
    case 'f': return MPI_T_finalize();
    case 'I': return MPI_Init(&argc, NULL);
    case 'F': return MPI_Finalize();
    case 'q': return query();
    case 'n': return query_all() == MPI_T_ERR_NOT_INITIALIZED ? MPI_SUCCESS : MPI_ERR_OTHER;
    case 'u': return query_all() == MPI_SUCCESS ? MPI_ERR_OTHER : MPI_SUCCESS;
    case 'x': return MPI_T_finalize() == MPI_SUCCESS ? MPI_ERR_OTHER : MPI_SUCCESS;
    case 's': return spawn(program);
    case 'C': return answer_parent();
    case 'A': return MPI_Abort(MPI_COMM_WORLD, 3);
    default: return MPI_ERR_OTHER;
    }
}

_Noreturn static void run(const char *sequence, char *program)
{
    for (const char *step = sequence; *step; step++) {
        const int rc = take(*step, program);
        if (rc != MPI_SUCCESS) {
            fprintf(stderr, "lifecycle: %s, step %d, %c: error %d\n", sequence, (int)(step - sequence), *step, rc);
            exit(EXIT_FAILURE);
        }
    }
    exit(EXIT_SUCCESS);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "lifecycle: needs a sequence\n");
        return EXIT_FAILURE;
    }
    run(argv[1], argv[0]);
}
