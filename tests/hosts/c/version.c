/* Prints the version text of the MPI library. It is available before MPI_Init, so no launcher is needed. */
#include <mpi.h>
#include <stdio.h>

int main(void)
{
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    if (MPI_Get_library_version(version, &length) != MPI_SUCCESS)
        return 1;
    puts(version);
    return 0;
}
