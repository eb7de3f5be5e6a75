/* Sends one message to the right: `native_off MODE`. Checks that the environment is the same before and after the library has
 * read its settings, also in child processes.
 *
 *     init   MPI_Init first
 *     tool   the tools interface first, which makes the library read its settings
 *     world  PMPI_Init, which is not interposed
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "OMPI_MCA_pml_monitoring_enable"

static void print_setting(const char *when)
{
    const char *value = getenv(NAME);
    printf("%s %s\n", when, value ? value : "unset");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "init";
    int rank, size, level, in;
    MPI_Comm copy;

    if (strcmp(mode, "tool") == 0 && MPI_T_init_thread(MPI_THREAD_SINGLE, &level) != MPI_SUCCESS)
        return EXIT_FAILURE;
    print_setting("before");
    if (strcmp(mode, "world") == 0)
        PMPI_Init(&argc, &argv);
    else
        MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &level);
    print_setting("after");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0 && system("printf 'child %s\\n' \"$" NAME "\"") != 0)
        return EXIT_FAILURE;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT, (rank + size - 1) % size, 0, copy, MPI_STATUS_IGNORE);
    MPI_Bcast(&in, 1, MPI_INT, 0, copy);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
