/* Time and memory of processes:
 *
 *   bench_process start RUNS FILE...    for each preload library ("-" for none), the microseconds of the fastest start and
 *                                       end of a program that does nothing, by turns
 *   bench_process cpu RUNS COMMAND...   the milliseconds of processor time of the command and its descendants, in the best run
 *   bench_process peak COMMAND...       the elapsed seconds of the command, and the largest resident memory of it or a
 *                                       descendant in MiB
 *   bench_process memory                the memory of this process
 */
#define _XOPEN_SOURCE 700
#include "bench.h"
#include "bench_memory.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_LIBRARIES = 8 };

/* Runs a command to its end without its output; false if it fails. */
static int run(char **command, char **environment)
{
    int status;
    pid_t child;
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const int error = posix_spawnp(&child, command[0], &quiet, NULL, command, environment);
    posix_spawn_file_actions_destroy(&quiet);
    return error == 0 && waitpid(child, &status, 0) == child && status == 0;
}

static int measure_start(int runs, int count, char **libraries)
{
    char *command[] = {"/bin/true", NULL};
    double best[MAX_LIBRARIES];
    if (count > MAX_LIBRARIES)
        return 0;
    for (int one = 0; one < count; one++)
        best[one] = 1e9;
    for (int turn = 0; turn < runs; turn++) {
        for (int one = 0; one < count; one++) {
            char setting[4096];
            snprintf(setting, sizeof setting, "LD_PRELOAD=%s", libraries[one]);
            char *environment[] = {strcmp(libraries[one], "-") == 0 ? NULL : setting, NULL};
            const double start = now();
            if (!run(command, environment))
                return 0;
            const double taken = (now() - start) / 1e3;
            if (taken < best[one])
                best[one] = taken;
        }
    }
    for (int one = 0; one < count; one++)
        printf("library%d %.2f\n", one, best[one]);
    return 1;
}

/* The processor time of all children that ended, in milliseconds. */
static double processor_time(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return 1e3 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + 1e-3 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static int measure_cpu(int runs, char **command)
{
    double best = 1e9;
    for (int turn = 0; turn < runs; turn++) {
        const double start = processor_time();
        if (!run(command, environ))
            return 0;
        const double taken = processor_time() - start;
        if (taken < best)
            best = taken;
    }
    printf("cpu %.2f\n", best);
    return 1;
}

static int measure_peak(char **command)
{
    struct rusage usage;
    const double start = now();
    if (!run(command, environ))
        return 0;
    printf("elapsed %.2f\n", (now() - start) / 1e9);
    getrusage(RUSAGE_CHILDREN, &usage);
    printf("peak %.2f\n", (double)usage.ru_maxrss / 1024);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "memory") == 0) {
        print_memory();
        return 0;
    }
    if (argc > 3 && strcmp(argv[1], "start") == 0)
        return !measure_start(atoi(argv[2]), argc - 3, argv + 3);
    if (argc > 2 && strcmp(argv[1], "peak") == 0)
        return !measure_peak(argv + 2);
    if (argc > 3 && strcmp(argv[1], "cpu") == 0)
        return !measure_cpu(atoi(argv[2]), argv + 3);
    return 1;
}
