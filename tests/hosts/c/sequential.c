/* A library for foreign.c that solves equations with the sequential build of MUMPS, which includes an MPI of one process. */
#include "foreign.h"
#include <dmumps_c.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 3, USE_COMM_WORLD = -987654 };

static void call(DMUMPS_STRUC_C *mumps, int job)
{
    mumps->job = job;
    dmumps_c(mumps);
    if (mumps->infog[0] < 0) {
        printf("job %d: %d\n", job, mumps->infog[0]);
        exit(EXIT_FAILURE);
    }
}

static int solve(void)
{
    /* 2x = 4, 4y + x = 14, 8z = 40 */
    static int rows[] = {1, 2, 2, 3}, columns[] = {1, 2, 1, 3};
    static double values[] = {2, 4, 1, 8};
    double right[SIZE] = {4, 14, 40};
    static DMUMPS_STRUC_C mumps;

    mumps.comm_fortran = USE_COMM_WORLD;
    mumps.par = 1;
    mumps.sym = 0;
    call(&mumps, -1);
    mumps.n = SIZE;
    mumps.nz = 4;
    mumps.irn = rows;
    mumps.jcn = columns;
    mumps.a = values;
    mumps.rhs = right;
    for (int i = 0; i < 4; i++) {
        mumps.icntl[i] = i < 3 ? -1 : 0;
    }
    call(&mumps, 6);
    call(&mumps, -2);
    return fabs(right[0] - 2) < 1e-9 && fabs(right[1] - 3) < 1e-9 && fabs(right[2] - 5) < 1e-9;
}

int foreign_calls(const char *when)
{
    const int is_right = solve();

    printf("%s: %s\n", when, is_right ? "solved" : "wrong");
    return !is_right;
}
