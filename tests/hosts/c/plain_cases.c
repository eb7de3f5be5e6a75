/* Programs without MPI, one for each name. Their output and files must not depend on a preloaded library.
 *
 *     plain_cases NAME
 *     plain_cases hands_on COMMAND...     runs the command with some signals blocked and others ignored
 */
#define _GNU_SOURCE
#include "cases.h"

#include <dirent.h>
#include <dlfcn.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/stat.h>

extern char **environ;
static char *self;

static void act(void)
{
    if (system("exit 0") != 0)
        say("no child");
}

static void say_open_files(void)
{
    DIR *all = opendir("/proc/self/fd");
    char open[256] = "";

    for (struct dirent *one; (one = readdir(all));) {
        const int fd = atoi(one->d_name);
        if (one->d_name[0] != '.' && fd != dirfd(all) && fd < 200)
            open[fd] = 1;
    }
    closedir(all);
    for (int fd = 0; fd < 200; fd++) {
        if (open[fd])
            printf("fd %d is open\n", fd);
    }
}

static void say_signals(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];

    while (fgets(line, sizeof line, status)) {
        unsigned long long signals;
        /* The C library starts programs with two signals of its own ignored. */
        if (sscanf(line, "Sig%*3[a-zA-Z]: %llx", &signals) == 1 && strncmp(line, "SigP", 4) != 0 && line[3] != 'Q')
            printf("%.6s: %llx\n", line, signals & ~0x180000000ULL);
    }
    fclose(status);
}

/* The attributes that a process inherits. */
static int inherited(void)
{
    struct rlimit limit;
    char directory[4096];

    errno = 0;
    printf("children: %d, %d\n", (int)wait(NULL), errno);
    say_open_files();
    say_signals();
    printf("in %s\n", strrchr(getcwd(directory, sizeof directory), '/'));
    printf("umask %o, priority %d, called %s\n", umask(0), getpriority(PRIO_PROCESS, 0), strrchr(self, '/'));
    for (int resource = 0; resource < 16; resource++) {
        getrlimit(resource, &limit);
        printf("limit %d: %ld %ld\n", resource, (long)limit.rlim_cur, (long)limit.rlim_max);
    }
    return 7;
}

static sigjmp_buf back;

static void leave(int signal)
{
    siglongjmp(back, signal);
}

static int handlers(void)
{
    static char memory[1 << 16];
    const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    volatile int *volatile nowhere = NULL;
    int left;

    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &(struct sigaction){.sa_handler = leave, .sa_flags = SA_ONSTACK}, NULL);
    sigaction(SIGFPE, &(struct sigaction){.sa_handler = leave}, NULL);
    left = sigsetjmp(back, 1);
    if (left == 0)
        *nowhere = 1;
    printf("left after signal %d\n", left);
    left = sigsetjmp(back, 1);
    if (left == 0)
        raise(SIGFPE);
    printf("left after signal %d\n", left);
    set_timer(500);
    while (interrupts < 20)
        pause();
    set_timer(0);
    say("interrupted 20 times");
    return 0;
}

static int forks(void)
{
    int status;

    atexit(at_exit);
    for (int way = 0; way < 5; way++) {
        const pid_t child = fork();
        if (child == 0) {
            if (way == 0)
                exit(3);
            if (way == 1)
                _exit(4);
            if (way == 2)
                raise(SIGKILL);
            if (way == 3)
                execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
            closefrom(3);
            const pid_t grandchild = fork();
            if (grandchild == 0)
                _exit(open("/dev/null", O_RDONLY));
            waitpid(grandchild, &status, 0);
            _exit(WEXITSTATUS(status));
        }
        waitpid(child, &status, 0);
        say_end("child", status);
    }
    return 0;
}

static int starts(void)
{
    char *words[] = {"sh", "-c", "echo started; exit 6", NULL};
    int status;
    pid_t child = vfork();

    if (child == 0) {
        execv("/bin/sh", words);
        _exit(127);
    }
    waitpid(child, &status, 0);
    say_end("vfork and exec", status);
    child = vfork();
    if (child == 0)
        _exit(8);
    waitpid(child, &status, 0);
    say_end("vfork", status);
    posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ);
    waitpid(child, &status, 0);
    say_end("posix_spawn", status);
    run_commands();
    return 0;
}

/* The grandchild outlives its parent. */
static int daemonize(void)
{
    int ends[2];
    char word[8] = "";

    if (pipe(ends) != 0)
        return 1;
    if (fork() == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        const int file = open("of_the_daemon", O_WRONLY | O_CREAT, 0600);
        if (chdir("/") != 0 || write(file, "done\n", 5) != 5)
            _exit(1);
        close(file);
        fclose(stdin), fclose(stdout), fclose(stderr);
        if (write(ends[1], "ready", 5) != 5)
            _exit(1);
        _exit(0);
    }
    wait(NULL);
    if (read(ends[0], word, sizeof word - 1) != 5)
        return 1;
    say(word);
    return 0;
}

/* Lists the open standard streams in a file. */
static int closed(void)
{
    FILE *file = fopen("streams", "w");
    fprintf(file, "opened as %d\n", fileno(file));
    for (int fd = 0; fd < 3; fd++)
        fprintf(file, "%d: %s\n", fd, fcntl(fd, F_GETFD) >= 0 ? "open" : "closed");
    fclose(file);
    return 0;
}

/* Closes all files that it did not open itself, as daemons do. */
static int closes_all(void)
{
    closefrom(3);
    const int file = open("mine", O_RDWR | O_CREAT, 0600);
    printf("opened as %d\n", file);
    return write(file, "mine\n", 5) == 5 ? 0 : 1;
}

static void at_quick_exit_too(void)
{
    say("at quick exit");
}

static int quick(void)
{
    at_quick_exit(at_quick_exit_too);
    atexit(at_exit);
    quick_exit(11);
}

static int is_terminated(void)
{
    return raise(SIGTERM);
}

static int crashes(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    return raise(SIGSEGV);
}

static int grows_too_long(void)
{
    static char block[4096];
    const int file = open("long", O_WRONLY | O_CREAT, 0600);

    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){10000, 10000});
    for (int i = 0; i < 4; i++)
        printf("wrote %d\n", (int)write(file, block, sizeof block)), fflush(stdout);
    return 0;
}

static pthread_key_t key;

static void freed(void *value)
{
    say(value);
}

static void *work(void *which)
{
    pthread_setspecific(key, which ? "freed at the end" : "freed when canceled");
    if (!which) {
        for (;;)
            pause();
    }
    return which;
}

static void *work_last(void *threads)
{
    pthread_join(((pthread_t *)threads)[2], NULL);
    say("main has ended");
    exit(13);
}

static int threads(void)
{
    static pthread_t threads[3];
    void *result;

    pthread_key_create(&key, freed);
    pthread_create(&threads[0], NULL, work, &key);
    pthread_join(threads[0], &result);
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_cancel(threads[0]);
    pthread_join(threads[0], &result);
    say(result == PTHREAD_CANCELED ? "canceled" : "not canceled");
    threads[2] = pthread_self();
    pthread_create(&threads[1], NULL, work_last, threads);
    pthread_exit(NULL);
}

static int opens_libraries(void)
{
    for (int i = 0; i < 50; i++) {
        void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
        double (*root)(double) = (double (*)(double))dlsym(library, "sqrt");
        if (root(4) != 2)
            return 1;
        dlclose(library);
    }
    void *apart = dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW);
    double (*root)(double) = apart ? (double (*)(double))dlsym(apart, "sqrt") : NULL;
    printf("%s\n", root && root(9) == 3 ? "in a namespace of its own" : dlerror());
    printf("no such function: %d\n", dlsym(RTLD_DEFAULT, "MPI_No_such_function") == NULL);
    return 0;
}

static int changes_environment(void)
{
    const char *large = getenv("LARGE");

    printf("a value of %zu bytes\n", large ? strlen(large) : 0);
    setenv("NEW", "value", 1);
    unsetenv("LARGE");
    if (large && large[0]) {
        execl("/proc/self/exe", self, "environment", (char *)NULL);
    }
    printf("NEW is %s\n", getenv("NEW"));
    fflush(stdout);
    clearenv();
    execl("/bin/sh", "sh", "-c", "echo \"HOME is ${HOME-not set}\"", (char *)NULL);
    return 1;
}

/* Libraries detect in this way if the program uses MPI. */
extern int MPI_Initialized(int *) __attribute__((weak));
extern int MPI_Finalized(int *) __attribute__((weak));

static int detects_mpi(void)
{
    int is_up = 0, is_down = 0;

    if (MPI_Initialized)
        MPI_Initialized(&is_up);
    if (MPI_Finalized)
        MPI_Finalized(&is_down);
    printf("%s\n", is_up && !is_down ? "parallel" : "serial");
    int (*found)(int *) = (int (*)(int *))dlsym(RTLD_DEFAULT, "MPI_Initialized");
    if (found)
        found(&is_up);
    printf("%s\n", is_up ? "parallel" : "serial");
    return 0;
}

static int is_privileged(void)
{
    printf("privileged: %lu, users differ: %d\n", getauxval(AT_SECURE), getuid() != geteuid());
    return 0;
}

static int has_a_replacement(void)
{
    double average = 0;

    getloadavg(&average, 1);
    printf("%s\n", average == 42 ? "replaced" : "of the C library");
    return 0;
}

static void hand_on(char **command)
{
    sigset_t blocked;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGWINCH, SIG_IGN);
    execvp(command[0], command);
}

/* Constructors run before, and destructors after, everything else. */
static int is_case(const char *name, int argc, char **argv)
{
    return argc == 2 && strcmp(argv[1], name) == 0;
}

__attribute__((constructor)) static void construct(int argc, char **argv)
{
    if (is_case("constructor", argc, argv)) {
        say("in a constructor");
        exit(14);
    }
}

__attribute__((destructor)) static void destroy(void)
{
    if (self && getenv("SAY_DESTRUCTOR"))
        say("in a destructor");
}

static const struct {
    const char *name;
    int (*run)(void);
} CASES[] = {
    {"inherited", inherited},
    {"handlers", handlers},
    {"forks", forks},
    {"starts", starts},
    {"daemon", daemonize},
    {"closed", closed},
    {"closes_all", closes_all},
    {"quick_exit", quick},
    {"abort", aborts},
    {"_exit", exits_at_once},
    {"killed", is_killed},
    {"terminated", is_terminated},
    {"crashed", crashes},
    {"too_long", grows_too_long},
    {"threads", threads},
    {"libraries", opens_libraries},
    {"environment", changes_environment},
    {"detects_mpi", detects_mpi},
    {"privileged", is_privileged},
    {"floating_point", calculates},
    {"replaced", has_a_replacement},
    {"input", reads_input},
    {"nothing", does_nothing},
};

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc > 2 && strcmp(argv[1], "hands_on") == 0)
        hand_on(argv + 2);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        if (is_case(CASES[i].name, argc, argv))
            return CASES[i].run();
    }
    fprintf(stderr, "plain_cases: no such case\n");
    return 99;
}
