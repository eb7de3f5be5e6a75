/* A tool that counts the receives of a program that are made while many unexpected messages wait: those
 * are slow, since the library searches its queue for each of them. It is loaded in front of the MPI library, whose
 * functions MPI_Init, MPI_Recv and MPI_Finalize it takes for itself:
 *
 *     mpicc -shared -fPIC unexpected.c -o libunexpected.so
 *     mpiexec -n 4 env LD_PRELOAD=$PWD/libunexpected.so ./app
 *
 *     UNEXPECTED_THRESHOLD   messages that make a queue long; 10 if it is not set
 *     UNEXPECTED_VARIABLE    another name of the variable that has the length of the queue
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The variable's name in MPI libraries that have it. */
static const char *const known[] = {"pml_ob1_unexpected_msgq_length" /* Open MPI */, "unexpected_recvq_length" /* MPICH */};

static MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
static MPI_T_pvar_handle length = MPI_T_PVAR_HANDLE_NULL;
static unsigned *lengths; /* an element for each process, or one */
static int num_lengths;
static unsigned long threshold = 10, receives, late, longest;

/* Finds a variable of any class. A length is a LEVEL, but Open MPI calls it a SIZE. */
static int find(const char *name)
{
    static const int classes[] = {MPI_T_PVAR_CLASS_LEVEL, MPI_T_PVAR_CLASS_SIZE};
    int index;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (MPI_T_pvar_get_index(name, classes[i], &index) == MPI_SUCCESS)
            return index;
    return -1;
}

static int find_any(void)
{
    const char *wanted = getenv("UNEXPECTED_VARIABLE");
    if (wanted)
        return find(wanted);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (find(known[i]) >= 0)
            return find(known[i]);
    return -1;
}

/* Makes a handle for the messages on MPI_COMM_WORLD. Returns null, or what is missing. */
static const char *watch(void)
{
    int index = find_any(), name_len = 0, desc_len = 0, verbosity, class, bind, readonly, continuous, atomic;
    MPI_Datatype datatype;
    MPI_T_enum enumeration;
    MPI_Comm world = MPI_COMM_WORLD;
    if (index < 0)
        return getenv("UNEXPECTED_VARIABLE") ? "it has no variable of that name" : "it has no variable for the length of that queue";
    if (MPI_T_pvar_get_info(index, NULL, &name_len, &verbosity, &class, &datatype, &enumeration, NULL, &desc_len, &bind,
                            &readonly, &continuous, &atomic) != MPI_SUCCESS)
        return "the variable says nothing of itself";
    if (datatype != MPI_UNSIGNED || (bind != MPI_T_BIND_MPI_COMM && bind != MPI_T_BIND_NO_OBJECT))
        return "the variable is of another kind than this tool reads";
    if (MPI_T_pvar_session_create(&session) != MPI_SUCCESS)
        return "no session";
    if (MPI_T_pvar_handle_alloc(session, index, bind == MPI_T_BIND_MPI_COMM ? &world : NULL, &length, &num_lengths) != MPI_SUCCESS)
        return "no handle";
    if (!continuous && MPI_T_pvar_start(session, length) != MPI_SUCCESS)
        return "the handle does not start";
    lengths = calloc((size_t)num_lengths, sizeof *lengths);
    return lengths ? NULL : "no memory";
}

static void begin(void)
{
    int provided, rank;
    const char *text = getenv("UNEXPECTED_THRESHOLD"), *missing = "it has no MPI_T";
    if (text)
        threshold = strtoul(text, NULL, 10);
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS)
        missing = watch();
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (missing && rank == 0)
        fprintf(stderr, "unexpected: nothing to be seen in this MPI library: %s\n", missing);
}

int MPI_Init(int *argc, char ***argv)
{
    int code = PMPI_Init(argc, argv);
    if (code == MPI_SUCCESS)
        begin();
    return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int code = PMPI_Init_thread(argc, argv, required, provided);
    if (code == MPI_SUCCESS)
        begin();
    return code;
}

int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    if (lengths && comm == MPI_COMM_WORLD && MPI_T_pvar_read(session, length, lengths) == MPI_SUCCESS) {
        unsigned long waiting = 0;
        for (int i = 0; i < num_lengths; i++)
            waiting += lengths[i];
        receives++;
        late += waiting > threshold;
        if (waiting > longest)
            longest = waiting;
    }
    return PMPI_Recv(buf, count, datatype, source, tag, comm, status);
}

int MPI_Finalize(void)
{
    if (lengths) {
        int rank;
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (receives)
            printf("unexpected: rank %d: %lu of %lu receives found more than %lu messages waiting, at most %lu\n", rank,
                   late, receives, threshold, longest);
        free(lengths);
        lengths = NULL;
        MPI_T_pvar_handle_free(session, &length);
        MPI_T_pvar_session_free(&session);
        MPI_T_finalize();
    }
    return PMPI_Finalize();
}
