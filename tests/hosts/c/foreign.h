/* Functions with names of MPI functions that do not belong to MPI. */
#ifndef FOREIGN_H
#define FOREIGN_H

/* Results in one, two and no registers, on the x87 stack and in memory. */
struct pair { long first; double second; };
struct large { long members[5]; };

double mpi_reduce_(double x);
double mpi_reduce(double x);
double mpi_reduce__(double x);
double MPI_REDUCE(double x);
long double mpi_scan_(long double x);
_Complex long double mpi_exscan_(long double x);
struct pair mpi_send_(long first, double second);
struct large mpi_isend_(long first);
/* More arguments than the registers hold. */
double mpi_gather_(long a, double b, long c, double d, long e, double f, long g, double h, long i, double j, long k,
                   double l, long m, double n, double o, double p, double q, long r);
/* The caller says how many vector registers it uses. */
double mpi_bcast_(int count, ...);
/* A name of a newer Fortran interface, and one that may be called before MPI is initialized. */
float mpi_put_f08_(float x, float y);
double mpi_init_(double x);
double mpi_pcontrol_(double x, long y);
/* MPI's function of this name returns an int. */
#ifndef WITH_MPI
double MPI_Send(double x);
double MPI_Pcontrol(double x);
int PMPI_Bcast(int x);
#endif
/* Vectors of 256 bits. */
#if defined(__x86_64__)
typedef double vector __attribute__((vector_size(32)));
__attribute__((target("avx"))) vector mpi_allgather_(vector x, vector y);
#endif

/* Calls all functions twice; returns the number of wrong results. */
int foreign_calls(const char *when);

#endif
