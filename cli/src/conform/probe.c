/* Prints the properties of an MPI library, one in a line: a key, a tab and the value. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const struct {
    int code;
    const char *name;
} codes[] = {
#define CODE(name) {MPI_##name, "MPI_" #name}
    CODE(SUCCESS),
    CODE(T_ERR_INVALID),
    CODE(T_ERR_MEMORY),
    CODE(T_ERR_NOT_INITIALIZED),
    CODE(T_ERR_CANNOT_INIT),
    CODE(T_ERR_INVALID_INDEX),
    CODE(T_ERR_INVALID_ITEM),
    CODE(T_ERR_INVALID_NAME),
    CODE(T_ERR_INVALID_HANDLE),
    CODE(T_ERR_OUT_OF_HANDLES),
    CODE(T_ERR_OUT_OF_SESSIONS),
    CODE(T_ERR_INVALID_SESSION),
    CODE(T_ERR_CVAR_SET_NOT_NOW),
    CODE(T_ERR_CVAR_SET_NEVER),
    CODE(T_ERR_PVAR_NO_STARTSTOP),
    CODE(T_ERR_PVAR_NO_WRITE),
    CODE(T_ERR_PVAR_NO_ATOMIC),
#if defined MPI_T_ERR_NOT_ACCESSIBLE || defined MPI_ABI_VERSION
    CODE(T_ERR_NOT_ACCESSIBLE),
#endif
    CODE(ERR_ARG),
    CODE(ERR_INTERN),
    CODE(ERR_OTHER),
};

static void print_number(const char *key, int number)
{
    printf("%s\t%d\n", key, number);
    fflush(stdout);
}

int main(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "", line[1024];
    int size, rank, n = 0;
    FILE *maps = fopen("/proc/self/maps", "r");

    MPI_Get_library_version(version, &size);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        printf("library\t%.*s\nmpi\t%d.%d\n", (int)strcspn(version, ",\n"), version, MPI_VERSION, MPI_SUBVERSION);
#ifdef MPI_ABI_VERSION
        print_number("abi", MPI_ABI_VERSION);
#endif
        print_number("processes", size);
        while (maps && fgets(line, sizeof line, maps))
            n |= strstr(line, "/libmpit") != NULL;
        print_number("mpit", n);
        for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
            print_number(codes[i].name, codes[i].code);
        MPI_T_init_thread(MPI_THREAD_SINGLE, &n);
        if (MPI_T_cvar_get_num(&n) == MPI_SUCCESS)
            print_number("control variables", n);
        if (MPI_T_pvar_get_num(&n) == MPI_SUCCESS)
            print_number("performance variables", n);
        if (MPI_T_category_get_num(&n) == MPI_SUCCESS)
            print_number("categories", n);
#if MPI_VERSION >= 4
        if (MPI_T_event_get_num(&n) == MPI_SUCCESS)
            print_number("event types", n);
#endif
    }
    MPI_Finalize();
    return 0;
}
