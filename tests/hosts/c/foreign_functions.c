/* A library that defines functions with names of MPI functions, as sequential builds of parallel libraries do. */
#include "foreign.h"
#include <stdarg.h>

double mpi_reduce_(double x) { return x * 2; }
double mpi_reduce(double x) { return x * 3; }
double mpi_reduce__(double x) { return x * 4; }
double MPI_REDUCE(double x) { return x * 5; }
long double mpi_scan_(long double x) { return x * 2; }
_Complex long double mpi_exscan_(long double x) { return __builtin_complex(x, -x); }
struct pair mpi_send_(long first, double second) { return (struct pair){first + 1, second + 1}; }
struct large mpi_isend_(long first) { return (struct large){{first, first + 1, first + 2, first + 3, first + 4}}; }

double mpi_gather_(long a, double b, long c, double d, long e, double f, long g, double h, long i, double j, long k,
                   double l, long m, double n, double o, double p, double q, long r)
{
    return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10 + k * 11 + l * 12 + m * 13 + n * 14
           + o * 15 + p * 16 + q * 17 + r * 18;
}

double mpi_bcast_(int count, ...)
{
    va_list rest;
    double sum = 0;

    va_start(rest, count);
    for (int i = 0; i < count; i++) {
        sum = sum * 2 + va_arg(rest, double);
    }
    va_end(rest);
    return sum;
}

float mpi_put_f08_(float x, float y) { return x - y; }
double mpi_init_(double x) { return x + 1; }
double mpi_pcontrol_(double x, long y) { return x + y; }

#ifndef WITH_MPI
double MPI_Send(double x) { return x * 6; }
double MPI_Pcontrol(double x) { return x * 7; }
int PMPI_Bcast(int x) { return x * 8; }
#endif

#if defined(__x86_64__)
__attribute__((target("avx"))) vector mpi_allgather_(vector x, vector y) { return x + y; }
#endif
