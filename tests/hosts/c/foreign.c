/* Calls functions with names of MPI functions that do not belong to MPI, directly or through a library that it opens.
 *
 *     foreign          (linked with the library that calls them)
 *     foreign PATH     (opens that library, several times)
 *
 * With WITH_MPI: before, between and after calls of MPI. Rank 0 sends two messages to itself. */
#define _GNU_SOURCE
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const char *path;

static int calls(const char *when)
{
    void *plugin = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : RTLD_DEFAULT;
    int (*all)(const char *) = (int (*)(const char *))dlsym(plugin, "foreign_calls");
    int wrong;

    if (!all) {
        printf("%s\n", dlerror());
        return 1;
    }
    wrong = all(when);
    if (path) {
        dlclose(plugin);
    }
    return wrong;
}

#ifdef WITH_MPI
static void send(void)
{
    int sent = 1, received;

    MPI_Sendrecv(&sent, 1, MPI_INT, 0, 0, &received, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
#endif

int main(int argc, char **argv)
{
    int wrong = 0;

    path = argc > 1 ? argv[1] : NULL;
    wrong += calls("at the beginning");
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    wrong += calls("with MPI");
    send();
    wrong += calls("after a message");
    send();
    MPI_Finalize();
#endif
    wrong += calls("at the end");
    if (!wrong) {
        printf("all right\n");
    }
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
