/* Shared by plain_cases.c and mpi_cases.c, which define `act`: the activity that a program is made of.
 *
 * No addresses, process ids or times are printed. */
#ifndef CASES_H
#define CASES_H

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void act(void);

static void say(const char *text)
{
    printf("%s\n", text);
    fflush(stdout);
}

/* Prints the end of a child. */
static void say_end(const char *what, int status)
{
    printf("%s: %s %d\n", what, WIFEXITED(status) ? "exit" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    fflush(stdout);
}

static void at_exit(void)
{
    say("at exit");
}

static int does_nothing(void)
{
    return 0;
}

static int aborts(void)
{
    atexit(at_exit);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(SIGABRT, SIG_DFL);
    abort();
}

static int exits_at_once(void)
{
    atexit(at_exit);
    printf("never written");
    _exit(12);
}

static int is_killed(void)
{
    return raise(SIGKILL);
}

static volatile sig_atomic_t interrupts;

static void interrupt(int signal)
{
    interrupts = interrupts + (signal ? 1 : 0);
}

/* Interrupts the program at this interval; 0 ends it. */
static void set_timer(int microseconds)
{
    const struct itimerval timer = {.it_interval = {0, microseconds}, .it_value = {0, microseconds}};

    sigaction(SIGALRM, &(struct sigaction){.sa_handler = interrupt, .sa_flags = SA_RESTART}, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void run_commands(void)
{
    char line[64];

    say_end("system", system("exit 9"));
    FILE *pipe = popen("echo through a pipe", "r");
    while (fgets(line, sizeof line, pipe))
        fputs(line, stdout);
    say_end("popen", pclose(pipe));
}

/* Enables traps for floating-point errors, and changes the rounding mode. */
static int calculates(void)
{
    volatile double one = 1, three = 3;

    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    act();
    const int trapped = feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    act();
    printf("%.17g, rounded %s, trapped before %d\n", one / three, fegetround() == FE_UPWARD ? "up" : "otherwise", trapped);
    fedisableexcept(FE_ALL_EXCEPT);
    fesetround(FE_TONEAREST);
    return 0;
}

static int reads_input(void)
{
    char line[256];
    int lines = 0;

    while (fgets(line, sizeof line, stdin)) {
        act();
        printf("%d: %s", ++lines, line);
    }
    return lines;
}

#endif
