/* Calls MPI. A test links it without an MPI library, as `--as-needed` does if the library seems unused. */
#include <mpi.h>

int main(void)
{
    return MPI_Init(0, 0);
}
