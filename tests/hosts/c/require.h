/* The end of a job whose program cannot go on. */
#ifndef REQUIRE_H
#define REQUIRE_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the job if a condition fails that the rest of the program needs. */
static inline void require(int right, const char *what)
{
    int rank;
    if (!right) {
        /* Printed first, because the next call ends the program if MPI is finalized. */
        fprintf(stderr, "FAIL %s\n", what);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        fprintf(stderr, "rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
}

/* Ends the job if a call failed, and prints its return code. */
static inline void require_success(int code, const char *what)
{
    char text[256];
    snprintf(text, sizeof text, "%s: error %d", what, code);
    require(code == MPI_SUCCESS, text);
}

#endif
