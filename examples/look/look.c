/* A tool that shows the variables and counts the events that its environment names, in any program on any MPI library:
 *
 *     mpicc -I/opt/mpit/include -shared -fPIC look.c -o liblook.so
 *     LOOK=a_variable:another LOOK_EVENTS=an_event LD_PRELOAD=$PWD/liblook.so mpit run -- mpiexec -n 2 ./app
 *
 * Each process prints the values at its end. Variables that are bound to a communicator are shown for MPI_COMM_WORLD.
 */
#include <mpit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32, ELEMENTS = 1024 };

static struct variable {
    const char *name;
    MPI_T_pvar_handle handle;
    MPI_Datatype datatype;
    int count;
} variables[MOST];
static struct counted {
    const char *name;
    unsigned long times;
} events[MOST];
static int num_variables, num_events;
static MPI_T_pvar_session session;

/* Makes a handle on each variable of the name, whatever its class, and starts it. */
static void look_at(char *name)
{
    int total, before = num_variables;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_T_pvar_get_num(&total);
    for (int index = 0; index < total && num_variables < MOST; index++) {
        struct variable *variable = &variables[num_variables];
        char found[256];
        int length = sizeof found, none = 0, verbosity, class, bind, readonly, continuous, atomic;
        MPI_T_enum enumeration;
        if (MPI_T_pvar_get_info(index, found, &length, &verbosity, &class, &variable->datatype, &enumeration, NULL, &none,
                                &bind, &readonly, &continuous, &atomic) != MPI_SUCCESS || strcmp(found, name) != 0)
            continue;
        if (MPI_T_pvar_handle_alloc(session, index, bind == MPI_T_BIND_MPI_COMM ? &world : NULL, &variable->handle,
                                    &variable->count) != MPI_SUCCESS || variable->count > ELEMENTS) {
            fprintf(stderr, "look: no handle on %s\n", name);
            continue;
        }
        if (!continuous)
            MPI_T_pvar_start(session, variable->handle);
        variable->name = name;
        num_variables++;
    }
    if (num_variables == before)
        fprintf(stderr, "look: no variable is called %s\n", name);
}

static void on_event(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                     void *user_data)
{
    (void)instance, (void)registration, (void)safety;
    __atomic_fetch_add(&((struct counted *)user_data)->times, 1, __ATOMIC_RELAXED);
}

static void listen_to(char *name)
{
    struct counted *event = &events[num_events];
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_T_event_registration registration;
    int index;
    if (num_events == MOST || MPI_T_event_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_event_handle_alloc(index, &world, MPI_INFO_NULL, &registration) != MPI_SUCCESS ||
        MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, event, on_event) != MPI_SUCCESS) {
        fprintf(stderr, "look: no event is called %s\n", name);
        return;
    }
    event->name = name;
    num_events++;
}

static void each(const char *variable, void (*take)(char *))
{
    char *names = getenv(variable) ? strdup(getenv(variable)) : NULL;
    for (char *name = names ? strtok(names, ":") : NULL; name; name = strtok(NULL, ":"))
        take(name);
}

static void begin(void)
{
    int provided;
    if (MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS && MPI_T_pvar_session_create(&session) == MPI_SUCCESS) {
        each("LOOK", look_at);
        each("LOOK_EVENTS", listen_to);
    }
}

/* Adds the elements of a value to a line. */
static void show(const struct variable *variable, char *line, size_t capacity)
{
    static union {
        unsigned u[ELEMENTS];
        unsigned long long ull[ELEMENTS];
        double d[ELEMENTS];
    } value;
    size_t used = 0;
    if (MPI_T_pvar_read(session, variable->handle, &value) != MPI_SUCCESS) {
        snprintf(line, capacity, " (it cannot be read)");
        return;
    }
    for (int i = 0; i < variable->count && used < capacity; i++)
        if (variable->datatype == MPI_DOUBLE)
            used += (size_t)snprintf(line + used, capacity - used, " %g", value.d[i]);
        else if (variable->datatype == MPI_UNSIGNED || variable->datatype == MPI_INT)
            used += (size_t)snprintf(line + used, capacity - used, " %u", value.u[i]);
        else
            used += (size_t)snprintf(line + used, capacity - used, " %llu", value.ull[i]);
}

static void end(void)
{
    static char values[32 * ELEMENTS];
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* Some libraries do not buffer standard output, so whole lines, or those of several processes mix. */
    for (int i = 0; i < num_variables; i++) {
        show(&variables[i], values, sizeof values);
        printf("rank %d: %s%s\n", rank, variables[i].name, values);
    }
    for (int i = 0; i < num_events; i++)
        printf("rank %d: %s %lu times\n", rank, events[i].name, events[i].times);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
}

int MPI_Init(int *argc, char ***argv)
{
    int code = PMPI_Init(argc, argv);
    begin();
    return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int code = PMPI_Init_thread(argc, argv, required, provided);
    begin();
    return code;
}

int MPI_Finalize(void)
{
    end();
    return PMPI_Finalize();
}
