/* Opens an MPI library at run time, as interpreters do: `opened_mpi LIBRARY [local]`. */
#include <dlfcn.h>
#include <stdio.h>

static void *library;

/* Calls a function that takes two pointers or fewer. */
static int call(const char *name, void *first, void *second)
{
    int (*function)(void *, void *) = (int (*)(void *, void *))dlsym(library, name);
    return function ? function(first, second) : -1;
}

int main(int argc, char **argv)
{
    int is_up = 0, is_down = 0;

    if (argc < 2)
        return 2;
    library = dlopen(argv[1], RTLD_NOW | (argc > 2 ? RTLD_LOCAL : RTLD_GLOBAL));
    if (!library) {
        fprintf(stderr, "opened_mpi: %s\n", dlerror());
        return 1;
    }
    call("MPI_Initialized", &is_up, NULL);
    printf("initialized: %d\n", is_up);
    printf("MPI_Init: %d\n", call("MPI_Init", NULL, NULL));
    call("MPI_Initialized", &is_up, NULL);
    printf("initialized: %d\n", is_up);
    printf("MPI_Finalize: %d\n", call("MPI_Finalize", NULL, NULL));
    call("MPI_Finalized", &is_down, NULL);
    printf("finalized: %d\n", is_down);
    dlclose(library);
    printf("closed\n");
    return 0;
}
