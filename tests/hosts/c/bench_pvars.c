/* Cost of MPI_T_pvar_read, or of MPI_T_pvar_handle_alloc and MPI_T_pvar_handle_free together.
 *
 *     bench_pvars reads|handles BLOCKS CALLS [NAME...]
 *
 * Makes BLOCKS times CALLS calls for each named performance variable, in turns; without names, for the first suitable one:
 * with one element, and bound to no object. Prints for each variable its name and the nanoseconds per call of the fastest
 * block, because other load only ever adds time. With `handles`, a line "malloc" has the cost of malloc and free together. */
#include "bench.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, NAME = 256 };

struct variable {
    char name[NAME];
    int index;
    MPI_T_pvar_handle handle;
    double best;
};

static MPI_T_pvar_session session;

/* Allocates and starts a handle; returns 1 if the variable at this index has this name, or any, and can be measured. */
static int open_at(int index, const char *name, struct variable *variable)
{
    int length = NAME, verbosity, class, bind, readonly, continuous, atomic, count;
    MPI_Datatype type;
    MPI_T_enum values;
    unsigned long long value;

    if (MPI_T_pvar_get_info(index, variable->name, &length, &verbosity, &class, &type, &values, NULL, NULL, &bind,
                            &readonly, &continuous, &atomic) != MPI_SUCCESS
        || (name && strcmp(variable->name, name) != 0) || bind != MPI_T_BIND_NO_OBJECT
        || MPI_T_pvar_handle_alloc(session, index, NULL, &variable->handle, &count) != MPI_SUCCESS)
        return 0;
    variable->index = index;
    if (count == 1 && (continuous || MPI_T_pvar_start(session, variable->handle) == MPI_SUCCESS)
        && MPI_T_pvar_read(session, variable->handle, &value) == MPI_SUCCESS)
        return 1;
    MPI_T_pvar_handle_free(session, &variable->handle);
    return 0;
}

/* Without a name, any variable is measured. */
static int open_named(const char *name, struct variable *variable)
{
    int variables = 0;
    MPI_T_pvar_get_num(&variables);
    for (int index = 0; index < variables; index++)
        if (open_at(index, name, variable))
            return 1;
    return 0;
}

static void reads(int calls, struct variable *variable)
{
    unsigned long long value;
    for (int i = 0; i < calls; i++)
        MPI_T_pvar_read(session, variable->handle, &value);
}

static void handles(int calls, struct variable *variable)
{
    MPI_T_pvar_handle handle;
    int count;
    for (int i = 0; i < calls; i++) {
        MPI_T_pvar_handle_alloc(session, variable->index, NULL, &handle, &count);
        MPI_T_pvar_handle_free(session, &handle);
    }
}

static void mallocs(int calls, struct variable *variable)
{
    for (int i = 0; i < calls; i++) {
        void *volatile memory = malloc(64);
        free(memory);
    }
}

static void block(void (*call)(int, struct variable *), int calls, struct variable *variable)
{
    const double start = now();
    call(calls, variable);
    const double took = (now() - start) / calls;
    if (variable->best == 0 || took < variable->best)
        variable->best = took;
}

int main(int argc, char **argv)
{
    static struct variable variables[MOST], memory = {.name = "malloc"};
    const int of_handles = argc > 3 && strcmp(argv[1], "handles") == 0;
    const int blocks = argc > 3 ? atoi(argv[2]) : 0;
    const int calls = argc > 3 ? atoi(argv[3]) : 0;
    const int named = argc - 4;
    int level, used = 0;

    if (blocks <= 0 || calls <= 0 || named > MOST || (!of_handles && strcmp(argv[1], "reads") != 0)) {
        fputs("usage: bench_pvars reads|handles BLOCKS CALLS [NAME...]\n", stderr);
        return EXIT_FAILURE;
    }
    MPI_Init(NULL, NULL);
    /* After MPI_Init: one library does not survive the other order. */
    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    MPI_T_pvar_session_create(&session);
    for (int i = 0; i < (named > 0 ? named : 1); i++)
        used += open_named(named > 0 ? argv[4 + i] : NULL, &variables[used]);
    for (int i = 0; i < blocks; i++) {
        for (int one = 0; one < used; one++)
            block(of_handles ? handles : reads, calls, &variables[one]);
        if (of_handles)
            block(mallocs, calls, &memory);
    }
    for (int one = 0; one < used; one++)
        printf("%s %.3f\n", variables[one].name, variables[one].best);
    if (of_handles)
        printf("%s %.3f\n", memory.name, memory.best);
    fflush(stdout);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
