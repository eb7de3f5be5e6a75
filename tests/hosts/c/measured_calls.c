/* Calls whose instructions valgrind counts, or whose time is measured. A process makes each kind of call in a loop of its own.
 *
 *     measured_calls count|time single|multiple CALLS [PVAR]
 *
 * Initializes MPI for one thread or for several, and makes each call a few times so that all caches are filled. Prints a line
 * `library PVAR` with the variable of the MPI library that is measured: the named one, or the first that is suitable.
 *
 * count: makes each call CALLS times in the function `measured`, and prints a line `call KIND` for each kind. Includes calls of Fortran,
 *        if the program is linked with the library's interface for it, and calls that are not measured in the other mode.
 * time:  makes blocks of CALLS calls, of the kinds in turns, and prints for each kind its name and the nanoseconds per call of the
 *        fastest block, because other load only ever adds time. Prints a line `sent` with the number of messages. */
#include "bench.h"
#include "bench_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 256, WARM_UP = 20, BLOCKS = 40, MOST = 16 };

struct kind {
    const char *name;
    void (*call)(void);
    double best;
};

static struct kind kinds[MOST];
static int kind_count;
static long messages_sent;

static MPI_Win window;
static char from[1000], to[1000];
static MPI_Datatype derived;
static MPI_T_pvar_session session;
static MPI_T_cvar_handle library_cvar;
static char cvar_name[NAME];

/* A performance variable of mpit or of the MPI library. */
struct pvar {
    char name[NAME];
    int index, class;
    MPI_T_pvar_handle handle;
};

static struct pvar own, library;

static void message(int count, MPI_Datatype type)
{
    messages_sent++;
    message_to_itself(to, from, count, type, 7, MPI_COMM_WORLD);
}

static void message_8(void)
{
    message(8, MPI_BYTE);
}

static void message_1000(void)
{
    message(1000, MPI_BYTE);
}

static void message_derived(void)
{
    message(1, derived);
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_SELF);
}

static void allreduce(void)
{
    allreduce_of_one(MPI_COMM_SELF);
}

static void scan(void)
{
    double mine = 1, sum;
    MPI_Scan(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static void put(void)
{
    MPI_Put(from, 8, MPI_BYTE, 0, 0, 8, MPI_BYTE, window);
}

static inline void read_pvar(const struct pvar *pvar)
{
    unsigned long long value;
    MPI_T_pvar_read(session, pvar->handle, &value);
}

static void read_own(void)
{
    read_pvar(&own);
}

static void read_library(void)
{
    read_pvar(&library);
}

static void read_cvar(void)
{
    char value[4096];
    MPI_T_cvar_read(library_cvar, value);
}

static void cvar_index(void)
{
    int index;
    MPI_T_cvar_get_index(cvar_name, &index);
}

static void missing_index(void)
{
    int index;
    MPI_T_cvar_get_index("there_is_no_such_variable", &index);
}

static inline void find_index(const struct pvar *pvar)
{
    int index;
    MPI_T_pvar_get_index(pvar->name, pvar->class, &index);
}

static void own_index(void)
{
    find_index(&own);
}

static void library_index(void)
{
    find_index(&library);
}

static inline void make_handle(const struct pvar *pvar)
{
    MPI_T_pvar_handle handle;
    int count;
    MPI_T_pvar_handle_alloc(session, pvar->index, NULL, &handle, &count);
    MPI_T_pvar_handle_free(session, &handle);
}

static void own_handle(void)
{
    make_handle(&own);
}

static void library_handle(void)
{
    make_handle(&library);
}

/* Valgrind counts what happens in this function, and writes the count at its end. */
static __attribute__((noinline)) void measured(void (*call)(void), int calls)
{
    for (int i = 0; i < calls; i++)
        call();
}

static void add(const char *name, void (*call)(void))
{
    kinds[kind_count++] = (struct kind){name, call, 0};
}

#include "fortran_calls.h"

static void count_instructions(int calls)
{
    for (int kind = 0; kind < kind_count; kind++) {
        for (int i = 0; i < WARM_UP; i++)
            kinds[kind].call();
        measured(kinds[kind].call, calls);
        printf("call %s\n", kinds[kind].name);
    }
}

static void measure_times(int calls)
{
    for (int block = 0; block < BLOCKS; block++)
        for (struct kind *kind = kinds; kind < kinds + kind_count; kind++) {
            const double start = now();
            measured(kind->call, calls);
            const double took = (now() - start) / calls;
            if (block == 0 || took < kind->best)
                kind->best = took;
        }
    for (int kind = 0; kind < kind_count; kind++)
        printf("%s %.3f\n", kinds[kind].name, kinds[kind].best);
}

/* Measures the kinds that were added, and removes them. */
static void measure(int is_timed, int calls)
{
    if (is_timed)
        measure_times(calls);
    else
        count_instructions(calls);
    kind_count = 0;
}

/* Allocates and starts a handle for the variable at an index if it has this name, or any, and is one number that is bound to no
 * object. Returns 1 if it did. */
static int open_pvar(int index, const char *wanted, struct pvar *pvar)
{
    int length = NAME, verbosity, bind, readonly, continuous, atomic, elements;
    MPI_Datatype type;
    MPI_T_enum values;

    pvar->index = index;
    if (MPI_T_pvar_get_info(index, pvar->name, &length, &verbosity, &pvar->class, &type, &values, NULL, NULL, &bind,
                            &readonly, &continuous, &atomic) != MPI_SUCCESS
        || bind != MPI_T_BIND_NO_OBJECT || (wanted && strcmp(pvar->name, wanted) != 0)
        || MPI_T_pvar_handle_alloc(session, index, NULL, &pvar->handle, &elements) != MPI_SUCCESS)
        return 0;
    if (elements == 1 && (continuous || MPI_T_pvar_start(session, pvar->handle) == MPI_SUCCESS))
        return 1;
    MPI_T_pvar_handle_free(session, &pvar->handle);
    return 0;
}

static int find_pvar(const char *wanted, struct pvar *pvar)
{
    int variables = 0;
    MPI_T_pvar_get_num(&variables);
    for (int index = 0; index < variables; index++)
        if (open_pvar(index, wanted, pvar))
            return 1;
    return 0;
}

/* Allocates a handle for a control variable of the library's: the last one with one `int`. */
static int find_cvar(void)
{
    int variables = 0, elements;
    MPI_T_cvar_get_num(&variables);
    for (int index = variables - 1; index >= 0; index--) {
        int length = NAME, verbosity, bind, scope;
        MPI_Datatype type;
        MPI_T_enum values;
        if (MPI_T_cvar_get_info(index, cvar_name, &length, &verbosity, &type, &values, NULL, NULL, &bind, &scope)
                != MPI_SUCCESS
            || type != MPI_INT || bind != MPI_T_BIND_NO_OBJECT
            || MPI_T_cvar_handle_alloc(index, NULL, &library_cvar, &elements) != MPI_SUCCESS)
            continue;
        if (elements == 1)
            return 1;
        MPI_T_cvar_handle_free(&library_cvar);
    }
    return 0;
}

/* Makes accesses to a window of this process, in an epoch of their own. */
static void count_accesses(int calls)
{
    void *memory;
    MPI_Win_allocate(sizeof to, 1, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &window);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    add("put", put);
    measure(0, calls);
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
}

static void add_tool_calls(const char *library_name)
{
    if (find_pvar(library_name, &library)) {
        printf("library %s\n", library.name);
        add("pvar_read library", read_library);
        add("pvar_handle library", library_handle);
        add("pvar_get_index library", library_index);
    }
    if (find_pvar("pml_monitoring_messages_total", &own)) {
        add("pvar_read own", read_own);
        add("pvar_handle own", own_handle);
        add("pvar_get_index own", own_index);
    }
    if (find_cvar()) {
        add("cvar_read library", read_cvar);
        add("cvar_get_index library", cvar_index);
    }
    add("cvar_get_index missing", missing_index);
}

int main(int argc, char **argv)
{
    const int calls = argc >= 4 ? atoi(argv[3]) : 0;
    const int is_counted = calls > 0 && strcmp(argv[1], "count") == 0;
    const int is_timed = calls > 0 && strcmp(argv[1], "time") == 0;
    const int multiple = calls > 0 && strcmp(argv[2], "multiple") == 0;
    int provided, level;

    if ((!is_counted && !is_timed) || (!multiple && strcmp(argv[2], "single") != 0)) {
        fputs("usage: measured_calls count|time single|multiple CALLS [PVAR]\n", stderr);
        return EXIT_FAILURE;
    }
    MPI_Init_thread(NULL, NULL, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Type_contiguous(3, MPI_INT, &derived);
    MPI_Type_commit(&derived);
    add("message 8", message_8);
    add("message 1000", message_1000);
    add("message derived", message_derived);
    add("barrier", barrier);
    add("allreduce", allreduce);
    if (is_counted) {
        add("scan", scan);
        add_fortran_calls();
    }
    measure(is_timed, calls);
    if (is_timed)
        printf("sent %ld\n", messages_sent);
    if (is_counted)
        count_accesses(calls);
    if (!multiple) {
        /* After the other calls: a handle that is started makes mpit record them. */
        MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
        MPI_T_pvar_session_create(&session);
        add_tool_calls(argv[4]);
        measure(is_timed, calls);
        MPI_T_pvar_session_free(&session);
        MPI_T_finalize();
    }
    fflush(stdout);
    MPI_Type_free(&derived);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
