/* The list of calls that bad_calls.c makes, and the child processes that make some of them. */
#ifndef BAD_CALLS_SWEEP_H
#define BAD_CALLS_SWEEP_H

static long number, first_number; /* The number of calls in a sweep, and the first one to make. */
static int only_counting;

/* The time limit in seconds after which a call counts as hanging. */
static const struct itimerval patience = {{0, 0}, {0, 300000}};

static void take_turn(void)
{
    if (number++ < first_number || only_counting)
        return;
    totals->at = number - 1;
    if (in_children)
        setitimer(ITIMER_REAL, &patience, NULL);
    make_call();
}

/* Calls a function for a subject: with valid arguments, then with each argument invalid, then with each two. */
static void sweep(const struct function *f, const struct subject *s, int pairs)
{
    static struct options options[ARGUMENTS];
    int count = 0;
    function = f;
    subject = s;
    memset(chosen, 0, sizeof chosen);
    while (count < ARGUMENTS && f->kinds[count] != nothing) {
        options_of(&options[count], f, s, count);
        chosen[count] = &options[count].all[0];
        count++;
    }
    number = 0;
    /* A host's variable is not written with a value that may be invalid for it. */
    const int may_succeed = !(s->host && count > 1 && f->kinds[count - 1] == in_value);
    if (may_succeed)
        take_turn();
    for (int i = 0; i < count; i++) {
        for (int a = 1; a < options[i].count; a++) {
            chosen[i] = &options[i].all[a];
            take_turn();
            for (int j = i + 1; pairs && j < count; j++) {
                for (int b = 1; b < options[j].count; b++) {
                    chosen[j] = &options[j].all[b];
                    take_turn();
                }
                chosen[j] = &options[j].all[0];
            }
        }
        chosen[i] = &options[i].all[0];
    }
}

/* A child of an MPI process: its output and messages must not reach the launcher or other processes. */
static void become_harmless(void)
{
    const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM, SIGTERM};
    const struct rlimit none = {0, 0};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &none);
    for (int fd = 3; fd < 256; fd++)
        close(fd);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    setitimer(ITIMER_REAL, &patience, NULL);
}

/* Runs the rest of a sweep in child processes, a new one after each call that kills one. */
static void sweep_in_children(const struct function *f, const struct subject *s, int pairs, long calls)
{
    for (long next = 0; next < calls; next = totals->at + 1) {
        totals->at = next;
        totals->finished = 0;
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            become_harmless();
            first_number = next;
            sweep(f, s, pairs);
            totals->finished = 1;
            _exit(0);
        }
        if (child < 0 || waitpid(child, NULL, 0) < 0 || totals->finished)
            break;
        totals->crashes++;
    }
}

static void sweep_one(const struct function *f, const struct subject *s, int pairs)
{
    only_counting = 1;
    sweep(f, s, pairs);
    only_counting = 0;
    totals->calls += number;
    if (!f->address)
        totals->absent += number;
    else if (in_children)
        sweep_in_children(f, s, pairs, number);
    else
        sweep(f, s, pairs);
}

/* Makes all calls for all subjects of one kind, or of all kinds. */
static void sweep_all(int about, int pairs)
{
    for (int i = 0; i < FUNCTIONS; i++)
        for (int j = 0; j < subject_count; j++)
            if (functions[i].about == subjects[j].about && (about < 0 || about == (int)subjects[j].about))
                sweep_one(&functions[i], &subjects[j], pairs);
}

static struct subject *subject_about(enum about about)
{
    for (int i = 0; i < subject_count; i++)
        if (subjects[i].about == about)
            return &subjects[i];
    return NULL;
}

/* Returns 1 if a performance variable is the host's and a handle can be allocated, which a child process tries if
 * needed. */
static int is_usable_hosts_pvar(int index, word session, int *is_continuous)
{
    const MPI_T_pvar_session in = (MPI_T_pvar_session)(uintptr_t)session;
    int verbosity, class, bind = 0, readonly, continuous = 0, atomic, count, status = 0, length = CAPACITY;
    char name[CAPACITY];
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Datatype type;
    MPI_T_enum values;
    MPI_T_pvar_handle handle;
    if (MPI_T_pvar_get_info(index, name, &length, &verbosity, &class, &type, &values, NULL, NULL, &bind, &readonly,
                            &continuous, &atomic)
        || strstr(name, "_monitoring_") || !strcmp(name, "always_running")
        || (bind != MPI_T_BIND_NO_OBJECT && !has_communicators))
        return 0;
    *is_continuous = continuous != 0;
    const pid_t child = in_children ? fork() : 0;
    if (child == 0) {
        if (in_children)
            become_harmless();
        const int works = !MPI_T_pvar_handle_alloc(in, index, &comm, &handle, &count);
        if (works)
            MPI_T_pvar_handle_free(in, &handle);
        if (!in_children)
            return works;
        _exit(works ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void begin_counting(int children)
{
    in_children = children;
    totals = mmap(NULL, sizeof *totals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (totals == MAP_FAILED)
        exit(EXIT_FAILURE);
}

/* Reports the current call from a signal handler. */
static void crashed(int signal_number)
{
    static char text[1000];
    describe(text, sizeof text - 2);
    strcat(text, "\n");
    if (write(STDOUT_FILENO, "crash: ", 7) > 0 && write(STDOUT_FILENO, text, strlen(text)) > 0)
        fflush(stdout);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* After MPI_Init, because libraries install handlers. */
static void report_crashes(void)
{
    signal(SIGSEGV, crashed);
    signal(SIGBUS, crashed);
    signal(SIGABRT, crashed);
}

static void print_totals(void)
{
    printf("%ld calls, %ld wrong answers, %ld crashes, %ld calls of absent functions\n", totals->calls, totals->wrong,
           totals->crashes, totals->absent);
}

#endif
