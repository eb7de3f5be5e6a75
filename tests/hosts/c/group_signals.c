/* Sends signals to the process group of its launcher, and to the leader of that group alone, and counts the signals that the
 * launcher forwards: `group_signals GROUP LEADER ROUNDS...`, where the launcher handles GROUP before LEADER if both arrive. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Waits for the next of these signals; returns 0 after a timeout. */
static int next(const sigset_t *signals)
{
    struct timespec limit = {.tv_sec = 10};
    int signal = sigtimedwait(signals, NULL, &limit);
    return signal < 0 ? 0 : signal;
}

int main(int argc, char **argv)
{
    const char *group = getenv("TEST_GROUP");
    if (!group)
        return 2;
    pid_t leader = atoi(group);
    sigset_t signals;
    sigemptyset(&signals);
    for (int at = 1; at + 2 < argc; at += 3) {
        sigaddset(&signals, atoi(argv[at]));
        sigaddset(&signals, atoi(argv[at + 1]));
    }
    sigprocmask(SIG_BLOCK, &signals, NULL);
    MPI_Init(&argc, &argv);
    for (int at = 1; at + 2 < argc; at += 3) {
        int to_all = atoi(argv[at]), to_one = atoi(argv[at + 1]), all = 0, one = 0;
        for (int round = atoi(argv[at + 2]); round > 0; round--) {
            kill(-leader, to_all);
            int got = next(&signals);
            all += got == to_all;
            kill(leader, to_one);
            while ((got = next(&signals)) == to_all)
                all++;
            one += got == to_one;
        }
        printf("%d: %d, %d: %d\n", to_all, all, to_one, one);
    }
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
