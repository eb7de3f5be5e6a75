/* A profiling tool between mpit and the MPI library: it makes calls by their MPI_ names, and accepts levels of MPI_Pcontrol
 * that mpit does not know. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    MPI_Request request;
    int flag, code = MPI_Isend(buf, count, type, dest, tag, comm, &request);

    PMPI_Initialized(&flag);
    if (code == MPI_SUCCESS) {
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return code;
}

int MPI_Pcontrol(const int level, ...)
{
    va_list rest;

    va_start(rest, level);
    if (level == 5) {
        const double first = va_arg(rest, double);
        const char *second = va_arg(rest, const char *);
        const long third = va_arg(rest, long);
        double last = 0;

        for (int i = 0; i < 8; i++) {
            last = va_arg(rest, double);
        }
        printf("%g %s %ld %g\n", first, second, third, last);
    }
    va_end(rest);
    return PMPI_Pcontrol(level);
}
