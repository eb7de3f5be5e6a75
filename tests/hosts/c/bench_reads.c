/* What MPI_T_pvar_read costs.
 *
 *     bench_reads BLOCKS READS [NAME...]
 *
 * Reads each of the named performance variables BLOCKS times READS times, in turns; without names, the first variable
 * there is. Only variables of one element that are bound to no object count. Prints a line per variable: its name and the
 * nanoseconds per read of the best block, for what else the machine does only ever adds. */
#include "bench.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, NAME = 256 };

struct variable {
    char name[NAME];
    MPI_T_pvar_handle handle;
    double best;
};

static MPI_T_pvar_session session;

/* Makes a handle that counts; says whether the variable at this index can be measured. */
static int open_at(int index, struct variable *variable)
{
    int length = NAME, verbosity, class, bind, readonly, continuous, atomic, count;
    MPI_Datatype type;
    MPI_T_enum values;
    unsigned long long value;

    if (MPI_T_pvar_get_info(index, variable->name, &length, &verbosity, &class, &type, &values, NULL, NULL, &bind,
                            &readonly, &continuous, &atomic) != MPI_SUCCESS
        || bind != MPI_T_BIND_NO_OBJECT
        || MPI_T_pvar_handle_alloc(session, index, NULL, &variable->handle, &count) != MPI_SUCCESS)
        return 0;
    if (count == 1 && (continuous || MPI_T_pvar_start(session, variable->handle) == MPI_SUCCESS)
        && MPI_T_pvar_read(session, variable->handle, &value) == MPI_SUCCESS)
        return 1;
    MPI_T_pvar_handle_free(session, &variable->handle);
    return 0;
}

/* Without a name, any will do. */
static int open_named(const char *name, struct variable *variable)
{
    int variables = 0;
    MPI_T_pvar_get_num(&variables);
    for (int index = 0; index < variables; index++) {
        int length = NAME, ignored;
        char here[NAME];
        if (name != NULL) {
            if (MPI_T_pvar_get_info(index, here, &length, &ignored, &ignored, NULL, NULL, NULL, NULL, &ignored,
                                    &ignored, &ignored, &ignored) != MPI_SUCCESS
                || strcmp(here, name) != 0)
                continue;
        }
        if (open_at(index, variable))
            return 1;
    }
    return 0;
}

static void block(int reads, struct variable *variable)
{
    unsigned long long value;
    const double start = now();
    for (int i = 0; i < reads; i++)
        MPI_T_pvar_read(session, variable->handle, &value);
    const double took = (now() - start) / reads;
    if (variable->best == 0 || took < variable->best)
        variable->best = took;
}

int main(int argc, char **argv)
{
    static struct variable variables[MOST];
    const int blocks = argc > 2 ? atoi(argv[1]) : 0;
    const int reads = argc > 2 ? atoi(argv[2]) : 0;
    const int named = argc - 3;
    int level, used = 0;

    if (blocks <= 0 || reads <= 0 || named > MOST) {
        fputs("usage: bench_reads BLOCKS READS [NAME...]\n", stderr);
        return EXIT_FAILURE;
    }
    MPI_Init(NULL, NULL);
    /* After MPI_Init: one library does not survive the other order. */
    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    MPI_T_pvar_session_create(&session);
    for (int i = 0; i < (named > 0 ? named : 1); i++)
        used += open_named(named > 0 ? argv[3 + i] : NULL, &variables[used]);
    for (int i = 0; i < blocks; i++)
        for (int one = 0; one < used; one++)
            block(reads, &variables[one]);
    for (int one = 0; one < used; one++)
        printf("%s %.3f\n", variables[one].name, variables[one].best);
    fflush(stdout);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
