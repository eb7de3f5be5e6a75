/* Calls every function of the tools interface with invalid arguments, one at a time and two at a time.
 *
 *     bad_calls            (1 process or more; rank 0 makes the calls, the others wait in a barrier)
 *     bad_calls embedded   (the same)
 *     bad_calls alone      (the same)
 *
 * Each call must return the expected code, and a failed call must not change memory that was passed to it. Calls are made
 * before and between the initializations of MPI and of the tools interface, while both are initialized, in an event
 * callback, and after each has been finalized. Each wrong result is a line on standard output; the totals follow.
 *
 * With `embedded` and `alone`, the tools interface does not know communicators; with `alone`, no other one is in front of
 * it. */
#define _GNU_SOURCE
#include "bad_calls_run.h"
#include "mpit_plugin.h"
#include <dlfcn.h>

static int handler_calls;

/* An error handler of MPI, which the tools interface must never call (R3). */
static void count_error(MPI_Comm *comm, int *code, ...)
{
    handler_calls++;
}

static void find_functions(const char *prefix)
{
    char name[80];
    for (int i = 0; i < FUNCTIONS; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, functions[i].name);
        functions[i].address = dlsym(RTLD_DEFAULT, name);
    }
}

/* A performance variable of ours that always runs. Without the preload library, or libmpit.so, there is none. */
static void register_one(void)
{
    static const unsigned value = 5;
    static const struct mpit_pvar pvar = {.size = sizeof pvar, .name = "always_running", .pvar_class = MPIT_CLASS_LEVEL,
                                          .datatype = MPIT_UNSIGNED, .flags = MPIT_PVAR_CONTINUOUS, .count = 1,
                                          .storage = &value};
    static const struct mpit_table table = {.size = sizeof table, .version = MPIT_MAJOR,
                                            .component = "bad_calls", .pvars = &pvar, .num_pvars = 1};
    int (*function)(const struct mpit_table *);
    *(void **)&function = dlsym(RTLD_DEFAULT, "mpit_register");
    if (function && function(&table) != MPI_SUCCESS)
        puts("wrong: a variable is not registered");
}

static void add_if_new(MPI_T_enum values)
{
    if (values == MPI_T_ENUM_NULL)
        return;
    if (!is_known(WORD(values)))
        remember(WORD(values));
    if (subject_count == 0 || (subject_count == 1 && subjects[0].enumeration != WORD(values)))
        add_enum(WORD(values));
}

/* All enumerations of variables and events: two are used, and no invented handle may equal one of the others. */
static void find_enums(void)
{
    for (int i = 0; i < sizes[CVARS]; i++) {
        MPI_T_enum values = MPI_T_ENUM_NULL;
        if (!MPI_T_cvar_get_info(i, NULL, NULL, NULL, NULL, &values, NULL, NULL, NULL, NULL))
            add_if_new(values);
    }
    for (int i = 0; i < sizes[PVARS]; i++) {
        MPI_T_enum values = MPI_T_ENUM_NULL;
        if (!MPI_T_pvar_get_info(i, NULL, NULL, NULL, NULL, NULL, &values, NULL, NULL, NULL, NULL, NULL, NULL))
            add_if_new(values);
    }
    for (int i = 0; i < sizes[EVENTS]; i++) {
        MPI_T_enum values = MPI_T_ENUM_NULL;
        call(address_of("event_get_info"), (word[ARGUMENTS]){(word)i, 0, 0, 0, 0, 0, 0, WORD(&values)});
        add_if_new(values);
    }
    if (subject_count == 0)
        add_missing(ENUMS, "no enumeration");
}

/* mpit's by name, then the host's, which are last. */
static void find_cvars(void)
{
    const char *const ours[] = {"pml_components", "pml_monitoring_enable"};
    const int first = subject_count;
    int index;
    for (int i = 0; i < 2; i++)
        if (!MPI_T_cvar_get_index(ours[i], &index))
            add_cvar(ours[i], 0, index);
    if (sizes[CVARS] > 1) {
        add_cvar("host's", 1, sizes[CVARS] - 1);
        add_cvar("host's", 1, sizes[CVARS] / 2);
    }
    if (subject_count == first)
        add_missing(CVARS, "no control variable");
}

static void find_pvars(void)
{
    static const struct {
        const char *name;
        int class;
    } ours[] = {
        {"pml_monitoring_messages_total", MPI_T_PVAR_CLASS_COUNTER},
        {"pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE},
        {"pml_monitoring_flush", MPI_T_PVAR_CLASS_GENERIC},
        {"always_running", MPI_T_PVAR_CLASS_LEVEL},
    };
    const int first = subject_count;
    word session = new_session_of_ours(), other = new_session_of_ours(), hosts = new_session_of_ours();
    int index;
    for (int i = 0; i < 4; i++)
        if (!MPI_T_pvar_get_index(ours[i].name, ours[i].class, &index))
            add_pvar(ours[i].name, 0, index, session, other);
    /* One that always runs, and one that is started. */
    for (int i = sizes[PVARS] - 1, found[2] = {0, 0}; i >= 0 && !(found[0] && found[1]); i--) {
        int continuous = 0;
        if (is_usable_hosts_pvar(i, hosts, &continuous) && !found[continuous]) {
            add_pvar("host's", 1, i, hosts, other);
            found[continuous] = 1;
        }
    }
    if (subject_count == first) {
        add_missing(PVARS, "no performance variable");
        subjects[first].session = session;
    }
}

static void find_subjects(void)
{
    const char *const counters[] = {NULL, NULL, "cvar_get_num", "pvar_get_num", "source_get_num", "event_get_num", NULL,
                                    "category_get_num"};
    subject_count = 0;
    for (int about = CVARS; about <= CATEGORIES; about++) {
        sizes[about] = 0;
        if (counters[about])
            call_named(counters[about], WORD(&sizes[about]), 0, 0, 0, 0);
    }
    find_enums();
    find_cvars();
    find_pvars();
    /* mpit's first, the host's last. */
    for (int i = 0; i < sizes[SOURCES] && i < 2; i++)
        add_source(i == 0 ? 0 : sizes[SOURCES] - 1);
    if (sizes[SOURCES] == 0)
        add_missing(SOURCES, "no source");
    for (int i = 0; i < sizes[EVENTS] && i < 2; i++)
        add_event(i == 0 ? 0 : last_event());
    if (sizes[EVENTS] == 0)
        add_missing(EVENTS, "no event");
    add_missing(INSTANCES, "no instance");
    for (int i = 0; i < sizes[CATEGORIES] && i < 2; i++)
        add_category(i == 0 ? 0 : sizes[CATEGORIES] - 1);
    if (sizes[CATEGORIES] == 0)
        add_missing(CATEGORIES, "no category");
    add_missing(ANYTHING, "");
}

/* Proves R32: handles and sessions left at MPI_T_finalize are invalid like freed ones. */
static void find_subjects_again(void)
{
    static struct subject before[SUBJECTS];
    const int count = subject_count;
    memcpy(before, subjects, sizeof before);
    find_subjects();
    for (int i = 0; i < subject_count; i++)
        for (int j = 0; j < count; j++)
            if (before[j].about == subjects[i].about && before[j].handle && before[j].index == subjects[i].index) {
                subjects[i].ended_handle = before[j].handle;
                subjects[i].ended_session = before[j].session;
            }
}

static void no_subjects(void)
{
    subject_count = 0;
    for (int about = ANYTHING; about <= CATEGORIES; about++)
        add_missing(about, "");
}

/* Proves R3: MPI works, and no error handler was called. */
static void check_mpi(int rank, int size)
{
    int sent = 42, received = 0, own = 0;
    MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % size, 1, &received, 1, MPI_INT, (rank + size - 1) % size, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&sent, 1, MPI_INT, 0, 1, &own, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    if (received != sent || own != sent || handler_calls != 0) {
        printf("wrong: MPI, after bad calls: received %d, handlers of errors ran %d times\n", received, handler_calls);
        totals.wrong++;
    }
}

static int instances; /* The number of delivered instances. */

/* Proves R288, R292: on the first delivered instance. */
static void with_instance(word instance, word registration, int safety, void *index)
{
    struct subject *s = subject_about(INSTANCES);
    if (instances++ || !s)
        return;
    for (int i = 0; i < subject_count; i++)
        if (subjects[i].about == EVENTS && subjects[i].index == *(int *)index) {
            s->elements = subjects[i].elements;
            s->bytes = subjects[i].bytes;
        }
    s->label = "instance";
    s->present = s->elements > 0;
    s->handle = remember(instance);
    sweep_all(INSTANCES);
    s->label = "instance that is over";
    s->ended_handle = instance;
    s->handle = 0;
}

/* Makes calls on an instance of an event, if there are events: `raise` raises one. */
static void sweep_instances_of(const char *name, void (*raise)(int), int argument)
{
    static int index;
    struct subject *event = NULL;
    index = -1;
    instances = 0;
    call_named("event_get_index", WORD(name), WORD(&index), 0, 0, 0);
    for (int i = 0; i < subject_count; i++)
        if (subjects[i].about == EVENTS && subjects[i].index == index && subjects[i].handle)
            event = &subjects[i];
    if (event)
        call_named("event_register_callback", event->handle, NONE_SAFE, info_null(), WORD(&index), WORD(with_instance));
    if (raise)
        raise(argument);
    if (event) {
        call_named("event_register_callback", event->handle, NONE_SAFE, info_null(), 0, WORD(on_event));
        if (instances == 0) {
            printf("wrong: no instance of %s came\n", name);
            totals.wrong++;
        }
    }
    sweep_all(INSTANCES);
}

static void send_to_self(int rank)
{
    int sent = 1, received;
    MPI_Sendrecv(&sent, 1, MPI_INT, rank, 2, &received, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* An event of mpit, and one of the library in minimal_mpi.c, if that is the host. */
static void sweep_in_callback(int rank)
{
    void (*step)(int);
    *(void **)&step = dlsym(RTLD_DEFAULT, "minimal_step");
    sweep_instances_of("pml_message_sent", send_to_self, rank);
    if (step)
        sweep_instances_of("minimal_step", step, 0);
}

static void install_handlers(void)
{
    MPI_Errhandler counting;
    MPI_Comm_create_errhandler(count_error, &counting);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, counting);
    MPI_Errhandler_free(&counting);
}

int main(int argc, char **argv)
{
    char place[64] = {0};
    int provided, rank, size;
    const int embedded = argc > 1 && (!strcmp(argv[1], "embedded") || !strcmp(argv[1], "alone"));
    alone = argc > 1 && !strcmp(argv[1], "alone");
    on_the_stack = WORD(place);
    find_functions("MPI_T_");
    register_one();

    no_subjects();
    sweep_all(-1); /* Proves R7, R12: nothing is initialized. */
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    tools_are_up = 1;
    find_subjects();
    sweep_all(-1); /* Proves R5. */

    MPI_Init(&argc, &argv);
    report_crashes();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    install_handlers();
    mpi_is_up = 1;
    has_communicators = !embedded;
    if (rank == 0) {
        find_subjects();
        /* Proves R2, R9, R10, R11, R13, R27, R28, R70, R85, R87, R88, R136, R150, R151, R173, R174, R178, R183, R185. */
        /* Proves R38, R39, R40, R41, R42, R43, R44, R204, R231, R236, R237, R245: lengths; R9: canaries */
        /* Proves R91, R92, R139, R140, R146, R147, R148, R257, R265, R267: handles, by the tables of arguments. */
        /* Proves R51: all names and descriptions. */
        /* Proves R60: ALL_HANDLES as the library's header has it. */
        /* Proves R74: null and garbage for enumerations. */
        /* Proves R313: on libraries with the standard ABI all numbers are those of its header. */
        /* Proves F1, F2, F3, F4, F5, F6, F7, F8, F9, F10, F11, F12, F13, F14, F15, F16, F17, F18: each code of each. */
        /* Proves F19, F20, F21, F22, F23, F24, F25, F26, F27, F28, F29, F30, F31, F32, F33, F34, F35, F36, F37, F38. */
        /* Proves F46, F47, F48, F49, F50, F51, F52, F53, F54. */
        sweep_all(-1);
        /* Proves F42, F43, F44, F45. */
        sweep_in_callback(rank);
        find_functions("PMPI_T_"); /* Proves R303. */
        sweep_all(-1);
        find_functions("MPI_T_");
    }
    check_mpi(rank, size);
    MPI_Barrier(MPI_COMM_WORLD); /* Proves R4: the other ranks wait here during all calls. */

    MPI_T_finalize();
    tools_are_up = 0;
    if (rank == 0)
        sweep_all(-1); /* Proves R8. */
    check_mpi(rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    tools_are_up = 1;
    MPI_Finalize();
    mpi_is_up = has_communicators = 0;
    if (rank == 0) {
        find_subjects_again();
        sweep_all(-1); /* Proves R6. */
    }
    MPI_T_finalize();
    tools_are_up = 0;
    if (rank == 0)
        sweep_all(-1);
    if (rank == 0)
        printf("%ld calls, %ld wrong answers, %ld calls of absent functions\n", totals.calls, totals.wrong, totals.absent);
    return totals.wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
