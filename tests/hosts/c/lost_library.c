/* Calls MPI. A test links it without an MPI library, as a linker does that leaves out what seems not to be needed. */
#include <mpi.h>

int main(void)
{
    return MPI_Init(0, 0);
}
