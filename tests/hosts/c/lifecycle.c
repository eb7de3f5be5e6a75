/* Initializes and finalizes MPI and its tools interface in any order.
 *
 *     lifecycle SEQUENCE     (any number of processes)
 *     lifecycle orders STEPS (one process, without a launcher: children initialize MPI as singletons)
 *
 * i: MPI_T_init_thread   m: the same with MPI_THREAD_MULTIPLE   f: MPI_T_finalize   I: MPI_Init   F: MPI_Finalize
 * q: query the tools interface   n: as q, but the interface is not initialized, and must return that code
 * u: as n, with any code
 * x: MPI_T_finalize, which must fail   A: MPI_Abort   s: spawn a process with its own sequence
 * C: in that process, send a reply to its parent
 *
 * With `orders`, all balanced orders of i, m, f, I and F with up to STEPS steps are made, each in its own process, and each
 * twice: unchanged, and with queries before the first step and after each one. Prints a line for each: the order, with q for
 * queries, and the end of its process. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST = 8, AT_ONCE = 12, SECONDS = 300, FAILED = 4096, FEW = 16 };

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

static void run(const char *sequence, char *program)
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

/* Runs an order, with queries after each step. */
static void run_order(const char *order, int queries)
{
    char sequence[2 * LONGEST + 2] = "u";
    int open = 0, length = 1;
    alarm(SECONDS);
    for (const char *step = order; queries && *step; step++) {
        open += (*step == 'i' || *step == 'm') - (*step == 'f');
        sequence[length++] = *step;
        sequence[length++] = open ? 'q' : 'u';
    }
    run(queries ? sequence : order, NULL);
}

/* The running processes. They mostly wait, so there are more of them than processors. */
static struct running {
    pid_t child;
    char order[LONGEST + 1];
    int queries;
} running[AT_ONCE];

/* The orders that failed, and their number. */
static struct failed {
    char order[LONGEST + 1];
    int queries, status;
} failed[FAILED];
static int failures;

static void report(const char *order, int queries, int status)
{
    printf("order: %s%s: ", order, queries ? "+q" : "");
    if (WIFSIGNALED(status))
        printf("signal %d\n", WTERMSIG(status));
    else
        printf("%s\n", WEXITSTATUS(status) == 0 ? "well" : "failed");
}

/* Waits for the end of a process, and reports it if it succeeded. Returns 0 if there is none. */
static int reap(void)
{
    int status;
    pid_t child = wait(&status);
    struct running *of = running;
    while (child > 0 && of < running + AT_ONCE && of->child != child)
        of++;
    if (child <= 0 || of == running + AT_ONCE)
        return child > 0;
    of->child = 0;
    if (status == 0 || failures == FAILED) {
        report(of->order, of->queries, status);
    } else {
        struct failed *one = &failed[failures++];
        strcpy(one->order, of->order);
        one->queries = of->queries;
        one->status = status;
    }
    return 1;
}

static struct running *place(void)
{
    for (;;) {
        for (struct running *one = running; one < running + AT_ONCE; one++)
            if (one->child == 0)
                return one;
        reap();
    }
}

static void try(const char *order, int queries)
{
    struct running *one = place();
    fflush(stdout);
    strcpy(one->order, order);
    one->queries = queries;
    one->child = fork();
    if (one->child < 0) {
        perror("lifecycle: fork");
        exit(EXIT_FAILURE);
    }
    if (one->child == 0) {
        /* Crash reports of libraries would obscure the results. */
        if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))
            exit(EXIT_FAILURE);
        run_order(order, queries);
    }
}

/* Tries all balanced orders of `length` steps that begin with the `at` steps in `order`. `mpi`: 0 before MPI_Init, 1 after
 * it, 2 after MPI_Finalize. */
static void extend(char *order, int at, int length, int open, int mpi)
{
    int left = length - at;
    if (open + (mpi == 1) > left)
        return;
    if (left == 0) {
        try(order, 0);
        try(order, 1);
        return;
    }
    for (const char *step = "imfIF"; *step; step++) {
        if ((*step == 'f' && open == 0) || (*step == 'I' && mpi != 0) || (*step == 'F' && mpi != 1))
            continue;
        order[at] = *step;
        order[at + 1] = '\0';
        extend(order, at + 1, length, open + (*step == 'i' || *step == 'm') - (*step == 'f'),
               mpi + (*step == 'I' || *step == 'F'));
    }
}

/* A dozen concurrent starts of a library may disturb each other, which this test does not measure. A few failed orders are
 * therefore repeated alone, and marked. */
static void try_all(int steps)
{
    char order[LONGEST + 1] = "";
    for (int length = 2; length <= steps; length += 2)
        extend(order, 0, length, 0, 0);
    while (reap())
        ;
    int again = failures <= FEW, count = failures;
    failures = FAILED;
    for (struct failed *one = failed; one < failed + count; one++) {
        if (again) {
            fprintf(stderr, "orders: %s%s failed in company (status %#x), and is tried alone\n", one->order,
                    one->queries ? "+q" : "", (unsigned)one->status);
            try(one->order, one->queries);
            reap();
        } else {
            report(one->order, one->queries, one->status);
        }
    }
}

int main(int argc, char **argv)
{
    const int steps = argc == 3 && !strcmp(argv[1], "orders") ? atoi(argv[2]) : 0;
    if (argc == 2)
        run(argv[1], argv[0]);
    if (steps < 2 || steps > LONGEST) {
        fprintf(stderr, "lifecycle: a sequence, or orders with steps from 2 to %d\n", LONGEST);
        return EXIT_FAILURE;
    }
    try_all(steps);
    return EXIT_SUCCESS;
}
