/* Initializes and finalizes MPI and its tools interface in all balanced orders, each in its own process.
 *
 *     init_orders STEPS     (one process, without a launcher: children initialize MPI as singletons)
 *
 * s: MPI_T_init_thread(SINGLE)   m: MPI_T_init_thread(MULTIPLE)   f: MPI_T_finalize   I: MPI_Init   F: MPI_Finalize
 *
 * Orders have up to STEPS steps. Each is run twice: unchanged, and with queries before the first step and after each one.
 * Queries must fail while the tools interface is not initialized, and succeed while it is. Prints a line for each run: the
 * order, with q for queries, and the end of its process. */
#include "query_all.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST = 8, AT_ONCE = 12, SECONDS = 300, WRONG = 100, FAILED = 4096, FEW = 16 };

/* Makes all queries; returns 1 if the interface returned the expected code. */
static int query(int open)
{
    int count;
    const int rc = query_all();
    if (!open)
        return rc != MPI_SUCCESS;
    MPI_T_pvar_session session;
    if (rc != MPI_SUCCESS || MPI_T_pvar_session_create(&session) != MPI_SUCCESS)
        return 0;
    if (MPI_T_pvar_session_free(&session) != MPI_SUCCESS || MPI_T_category_get_num(&count) != MPI_SUCCESS)
        return 0;
    return MPI_T_cvar_get_num(&count) == MPI_SUCCESS;
}

static int take(char step, int *open)
{
    int provided = -1, argc = 0;
    switch (step) {
    case 's':
        ++*open;
        return MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS && provided >= MPI_THREAD_SINGLE;
    case 'm':
        ++*open;
        return MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS && provided >= MPI_THREAD_SINGLE;
    case 'f':
        --*open;
        return MPI_T_finalize() == MPI_SUCCESS;
    case 'I':
        return MPI_Init(&argc, NULL) == MPI_SUCCESS;
    default:
        return MPI_Finalize() == MPI_SUCCESS;
    }
}

/* Ends the process with 0, or with WRONG plus the number of the failed step. */
static void run(const char *order, int queries)
{
    int open = 0;
    alarm(SECONDS);
    if (queries && !query(open))
        exit(WRONG);
    for (int i = 0; order[i]; i++)
        if (!take(order[i], &open) || (queries && !query(open > 0)))
            exit(WRONG + 1 + i);
    exit(0);
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
    else if (WEXITSTATUS(status) >= WRONG)
        printf("wrong at step %d\n", WEXITSTATUS(status) - WRONG);
    else
        printf("%s\n", WEXITSTATUS(status) == 0 ? "well" : "ended");
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
        perror("init_orders: fork");
        exit(EXIT_FAILURE);
    }
    if (one->child == 0) {
        /* Crash reports of libraries would obscure the results. */
        if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))
            exit(EXIT_FAILURE);
        run(order, queries);
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
    for (const char *step = "smfIF"; *step; step++) {
        if ((*step == 'f' && open == 0) || (*step == 'I' && mpi != 0) || (*step == 'F' && mpi != 1))
            continue;
        order[at] = *step;
        order[at + 1] = '\0';
        extend(order, at + 1, length, open + (*step == 's' || *step == 'm') - (*step == 'f'),
               mpi + (*step == 'I' || *step == 'F'));
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 0;
    if (steps < 2 || steps > LONGEST) {
        fprintf(stderr, "init_orders: steps from 2 to %d\n", LONGEST);
        return EXIT_FAILURE;
    }
    char order[LONGEST + 1] = "";
    for (int length = 2; length <= steps; length += 2)
        extend(order, 0, length, 0, 0);
    while (reap())
        ;
    /* A dozen concurrent starts of a library may disturb each other, which this test does not measure. A few failed
     * orders are therefore repeated alone, and marked. */
    int again = failures <= FEW, count = failures;
    failures = FAILED;
    for (struct failed *one = failed; one < failed + count; one++) {
        if (again) {
            fprintf(stderr, "init_orders: %s%s failed in company (status %#x), and is tried alone\n", one->order,
                    one->queries ? "+q" : "", (unsigned)one->status);
            try(one->order, one->queries);
            reap();
        } else {
            report(one->order, one->queries, one->status);
        }
    }
    return EXIT_SUCCESS;
}
