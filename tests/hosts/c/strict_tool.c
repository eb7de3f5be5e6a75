/* A tool that stops at the first error, as existing tools do. It queries, allocates and reads the control variables, and starts
 * and reads the performance variables, one after the other.
 *
 *     strict_tool          (1 process)
 *     strict_tool pvars    (any number of processes: performance variables only, with no object but a communicator)
 *     strict_tool values   (1 process: reads the control variables and writes the values back, by handles of before and after MPI_Init)
 *
 * Prints the performance variables that were read, how many of each kind it processed, and how many there are. MPI is
 * initialized before MPI_T, except for `values`, so that entries of components that were not selected are gone. */
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

static MPI_T_cvar_handle early[CAPACITY];
static int early_elements[CAPACITY];

/* Writes the value that was read. Open MPI may refuse to set its own variables at present, and to read those of components that
 * MPI_Init did not select. */
static int write_back(int i, MPI_T_cvar_handle handle, int elements)
{
    int name_len = sizeof name, verbosity, bind, scope;
    MPI_Datatype type;
    MPI_T_enum items;

    MPI_T_cvar_get_info(i, name, &name_len, &verbosity, &type, &items, NULL, NULL, &bind, &scope);
    if (elements > CAPACITY / 8)
        return 1;
    printf("%s\n", name);
    int code = MPI_T_cvar_read(handle, value);
    if (code == MPI_SUCCESS && scope != MPI_T_SCOPE_CONSTANT && scope != MPI_T_SCOPE_READONLY)
        code = MPI_T_cvar_write(handle, value);
#ifdef OPEN_MPI
    if (code == MPI_T_ERR_CVAR_SET_NOT_NOW || code == MPI_T_ERR_INVALID_INDEX)
        code = MPI_SUCCESS;
#endif
    if (code != MPI_SUCCESS)
        printf("FAIL %s: %d\n", name, code);
    return code == MPI_SUCCESS;
}

static void write_values_back(int argc, char **argv)
{
    int level, count, handles = 0, written = 0;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count && i < CAPACITY; i++)
        if (MPI_T_cvar_handle_alloc(i, &world, &early[i], &early_elements[i]) != MPI_SUCCESS)
            early[i] = MPI_T_CVAR_HANDLE_NULL;
    MPI_Init(&argc, &argv);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < count && i < CAPACITY; i++) {
        MPI_T_cvar_handle late;
        int elements;
        if (early[i] != MPI_T_CVAR_HANDLE_NULL) {
            handles++;
            written += write_back(i, early[i], early_elements[i]);
        }
        if (MPI_T_cvar_handle_alloc(i, &world, &late, &elements) == MPI_SUCCESS) {
            handles++;
            written += write_back(i, late, elements);
            MPI_T_cvar_handle_free(&late);
        }
    }
    printf("%s\n", handles > 0 && written == handles ? "all values written back" : "not all values written back");
    MPI_Finalize();
    MPI_T_finalize();
}

int main(int argc, char **argv)
{
    const int pvars_alone = argc > 1;
    int level, cvars, pvars;

    if (argc > 1 && !strcmp(argv[1], "values")) {
        write_values_back(argc, argv);
        return EXIT_SUCCESS;
    }
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
