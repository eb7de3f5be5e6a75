/* Runs the token ring once: `ring [laps]`, 25 laps by default. Prints nothing. */
#include <stdio.h>
#include <stdlib.h>

#include "ring.h"

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        fprintf(stderr, "ring: needs two processes at least\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    ring_run(argc > 1 ? atoi(argv[1]) : 25);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
