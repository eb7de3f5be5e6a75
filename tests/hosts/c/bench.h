/* The clock of the benchmarks. Include it first. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

/* Nanoseconds of a monotonic clock. */
static inline double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}
