/* Calls of each kind, which `cxx/mixed.cpp`, `fortran/mixed.F90` and `python/mixed.py` make as well. All languages must be
 * recorded alike.
 *
 *     mixed                  (4 processes)
 */
#include "mixed.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    make_calls(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
