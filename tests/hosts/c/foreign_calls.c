/* A library that calls the functions of foreign_functions.c. */
#include "foreign.h"
#include <errno.h>
#include <stdio.h>

static int wrong;
static const char *now;

static void check(int is_right, const char *what)
{
    if (!is_right) {
        printf("wrong: %s, %s\n", what, now);
        wrong++;
    }
}

#if defined(__x86_64__)
__attribute__((target("avx"), noinline)) static void vectors(void)
{
    const vector sum = mpi_allgather_((vector){1, 2, 3, 4}, (vector){10, 20, 30, 40});

    check(sum[0] == 11 && sum[1] == 22 && sum[2] == 33 && sum[3] == 44, "vectors");
}
#endif

static void all(void)
{
    const struct pair pair = mpi_send_(41, 1.5);
    const struct large large = mpi_isend_(7);
    const _Complex long double complex = mpi_exscan_(2.25L);

    errno = 4242;
    check(mpi_reduce_(4) == 8, "a double");
    check(errno == 4242, "errno");
    check(mpi_reduce(4) == 12, "a double, without an underscore");
    check(mpi_reduce__(4) == 16, "a double, with two underscores");
    check(MPI_REDUCE(4) == 20, "a double, in capital letters");
    check(mpi_scan_(1.25L) == 2.5L, "a long double");
    check(__real__ complex == 2.25L && __imag__ complex == -2.25L, "a complex number");
    check(pair.first == 42 && pair.second == 2.5, "two registers");
    check(large.members[0] == 7 && large.members[4] == 11, "a result in memory");
    check(mpi_gather_(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18) == 2109, "many arguments");
    check(mpi_bcast_(9, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0) == 257, "variadic arguments");
    check(mpi_bcast_(0) == 0, "no variadic argument");
    check(mpi_put_f08_(3, 1) == 2, "floats");
    check(mpi_init_(1) == 2, "the name of an initialization");
    check(mpi_pcontrol_(1.5, 2) == 3.5, "the name of a control");
#ifndef WITH_MPI
    check(MPI_Send(1.5) == 9, "a name of C's");
    check(MPI_Pcontrol(1.5) == 10.5, "a name of C's control");
    check(PMPI_Bcast(2) == 16, "a name of the profiling interface");
#endif
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx")) {
        vectors();
    }
#endif
}

int foreign_calls(const char *when)
{
    wrong = 0;
    now = when;
    all();
    all();
    return wrong;
}
