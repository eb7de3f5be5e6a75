/* Only starts and ends MPI. Each process prints a line: `times`, then in seconds of a clock that all processes of a machine share the start of
 * `main`, the end of MPI_Init and that of MPI_Finalize, then the processor time of the process in seconds. */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double processor_time(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
    const double begin = now();
    MPI_Init(&argc, &argv);
    const double initialized = now();
    MPI_Finalize();
    printf("times %.6f %.6f %.6f %.6f\n", begin, initialized, now(), processor_time());
    return 0;
}
