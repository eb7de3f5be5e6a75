/* Many calls that do not wait, of which mpit samples some. With LIBRARY defined, it is a profiling library behind mpit, in which the calls
 * take a time of two, in turns of a power of two: a sample of calls at equal distances would have those of one time only. Both sides time
 * each call. The program prints lines `inner RANK NAME COUNT NS` for the library and `call RANK NAME COUNT NS` for its own calls, as in
 * call_oracle.h, and `squares SUM` with the squares of the latter times. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

#ifdef LIBRARY

enum { TURN = 32, SHORT_NS = 10000, LONG_NS = 24000 };

uint64_t library_count, library_ns;

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    const uint64_t begin = now(), least = library_count / TURN % 2 ? LONG_NS : SHORT_NS;
    const int code = PMPI_Iprobe(source, tag, comm, flag, status);
    uint64_t end = now();
    while (end - begin < least) {
        end = now();
    }
    library_count++;
    library_ns += end - begin;
    return code;
}

#else

enum { CALLS = 100000 };

extern uint64_t library_count, library_ns;

int main(int argc, char **argv)
{
    uint64_t ns = 0;
    double squares = 0;
    int found;
    MPI_Init(&argc, &argv);
    for (int call = 0; call < CALLS; call++) {
        const uint64_t begin = now();
        MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        const uint64_t taken = now() - begin;
        ns += taken;
        squares += (double)taken * (double)taken;
    }
    printf("inner 0 Iprobe %llu %llu\n", (unsigned long long)library_count, (unsigned long long)library_ns);
    printf("call 0 Iprobe %d %llu\n", CALLS, (unsigned long long)ns);
    printf("squares %.0f\n", squares);
    MPI_Finalize();
    return 0;
}

#endif
