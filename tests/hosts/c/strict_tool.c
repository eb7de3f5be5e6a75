/* A tool that stops at the first error, as existing tools do. It queries, allocates and reads the control variables, and starts
 * and reads the performance variables, one after the other.
 *
 *     strict_tool          (1 process)
 *     strict_tool pvars    (any number of processes: performance variables only, with no object but a communicator)
 *
 * Prints the performance variables that were read, how many of each kind it processed, and how many there are. MPI is
 * initialized before MPI_T, so that entries of components that were not selected are gone. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 1 << 16 };

static char name[4096], text[CAPACITY], value[CAPACITY];
static MPI_Comm world;

/* Any code but success stops the tool. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const int code = (call);                                                                                       \
        if (code != MPI_SUCCESS) {                                                                                     \
            printf("%s %s: %d\n", #call, name, code);                                                                  \
            return i;                                                                                                  \
        }                                                                                                              \
    } while (0)

/* Reading these crashes Open MPI 4.1.4 by itself once their component is gone. */
static int is_safe(void)
{
    return strcmp(name, "opal_common_ucx_verbose") != 0 && strcmp(name, "osc_ucx_verbose") != 0;
}

static int use_cvars(int count)
{
    for (int i = 0; i < count; i++) {
        int name_len = sizeof name, text_len = sizeof text, verbosity, bind, scope, elements;
        MPI_Datatype type;
        MPI_T_enum items;
        MPI_T_cvar_handle handle;

        TRY(MPI_T_cvar_get_info(i, name, &name_len, &verbosity, &type, &items, text, &text_len, &bind, &scope));
        if (bind != MPI_T_BIND_NO_OBJECT || !is_safe())
            continue;
        TRY(MPI_T_cvar_handle_alloc(i, NULL, &handle, &elements));
        if (elements <= CAPACITY / 8)
            TRY(MPI_T_cvar_read(handle, value));
        TRY(MPI_T_cvar_handle_free(&handle));
    }
    return count;
}

static int use_pvars(int count, int has_all_objects)
{
    MPI_T_pvar_session session;

    if (MPI_T_pvar_session_create(&session) != MPI_SUCCESS)
        return 0;
    for (int i = 0; i < count; i++) {
        int name_len = sizeof name, text_len = sizeof text, verbosity, class, bind, readonly, continuous, atomic, elements;
        MPI_Datatype type;
        MPI_T_enum items;
        MPI_T_pvar_handle handle;

        TRY(MPI_T_pvar_get_info(i, name, &name_len, &verbosity, &class, &type, &items, text, &text_len, &bind, &readonly,
                                &continuous, &atomic));
        if (has_all_objects && bind != MPI_T_BIND_NO_OBJECT && bind != MPI_T_BIND_MPI_COMM)
            continue;
        TRY(MPI_T_pvar_handle_alloc(session, i, bind == MPI_T_BIND_MPI_COMM ? &world : NULL, &handle, &elements));
        if (!continuous)
            TRY(MPI_T_pvar_start(session, handle));
        if (elements <= CAPACITY / 8)
            TRY(MPI_T_pvar_read(session, handle, value));
        printf("read %s %d\n", name, elements);
        TRY(MPI_T_pvar_handle_free(session, &handle));
    }
    MPI_T_pvar_session_free(&session);
    return count;
}

int main(int argc, char **argv)
{
    const int pvars_alone = argc > 1;
    int level, cvars, pvars;

    MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    MPI_T_cvar_get_num(&cvars);
    MPI_T_pvar_get_num(&pvars);
    if (!pvars_alone)
        printf("cvars %d of %d\n", use_cvars(cvars), cvars);
    printf("pvars %d of %d\n", use_pvars(pvars, !pvars_alone), pvars);
    fflush(stdout);
    MPI_T_finalize();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
