/* An MPI library of one process with events. Its MPI_T is that of libmpit.so, which it is linked with. It is a shared library,
 * so that the preload library interposes it like any other.
 *
 * The preload library also defines the functions of mpit_plugin.h, and precedes libmpit.so. Entries registered there would be
 * the preload library's, so this library looks up the functions of libmpit.so.
 *
 * Its registrations have the hint `minimal_hint`, with one value for all of them; libmpit.so has none. */
#define _GNU_SOURCE
#define mpit_register register_in_libmpit
#include "minimal_mpi.h"
#include "mpit_plugin.h"

#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

int mpit_register(const struct mpit_table *table)
{
    int (*function)(const struct mpit_table *);
    *(void **)&function = dlsym(RTLD_NEXT, "mpit_register");
    return function(table);
}

/* Calls a function of libmpit.so that this library defines as well. */
#define IN_LIBMPIT(name, parameters, ...) ((int(*) parameters)dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

/* A function under both its names, which succeeds. */
#define BOTH(name, parameters, ...)                               \
    int MPI_##name parameters { __VA_ARGS__ return MPI_SUCCESS; } \
    int PMPI_##name parameters { __VA_ARGS__ return MPI_SUCCESS; }

static int is_up, is_over;
static struct mpit_event_cell step_cell = MPIT_EVENT_CELL_INIT, bound_cell = MPIT_EVENT_CELL_INIT,
                              late_cell = MPIT_EVENT_CELL_INIT;

static const char *const in_steps[] = {"minimal_steps", 0};

static const struct mpit_source sources[] = {
    {.size = sizeof(struct mpit_source), .name = "minimal_clock", .description = "Steps.", .order = MPIT_SOURCE_ORDERED},
    {.size = sizeof(struct mpit_source), .name = "minimal_users", .order = MPIT_SOURCE_UNORDERED},
};

static const struct mpit_element step_elements[] = {
    {MPIT_INT, offsetof(struct step, number), "number"},
    {MPIT_UNSIGNED_LONG_LONG, offsetof(struct step, total), "total"},
    {MPIT_DOUBLE, offsetof(struct step, share), "share"},
};

static const struct mpit_element one_element[] = {{MPIT_INT, 0, 0}};

static const struct mpit_event events[] = {
    {.size = sizeof(struct mpit_event), .name = "minimal_step", .description = "A step is made.",
     .verbosity = MPIT_VERBOSITY_TUNER_BASIC, .source = "minimal_clock", .elements = step_elements, .num_elements = 3,
     .categories = in_steps, .cell = &step_cell},
    {.size = sizeof(struct mpit_event), .name = "minimal_bound", .verbosity = MPIT_VERBOSITY_MPIDEV_ALL,
     .bind = MPIT_BIND_DATATYPE, .source = "minimal_users", .elements = one_element, .num_elements = 1,
     .categories = in_steps, .cell = &bound_cell},
};

static const struct mpit_category categories[] = {
    {.size = sizeof(struct mpit_category), .name = "minimal_steps", .description = "What happens step by step."},
};

/* The identifier of a communicator, for each of two ranks. */
static int read_comm(void *user_data, const struct mpit_object *object, void *out, int count)
{
    ((unsigned long long *)out)[0] = ((unsigned long long *)out)[1] = object->id;
    return count != 2 || object->kind != MPIT_BIND_COMM || object->num_ranks || object->ranks;
}

static int two(void *user_data, const struct mpit_object *object)
{
    return object->id ? 2 : 0;
}

static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), .name = "minimal_comm", .pvar_class = MPIT_CLASS_GENERIC,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .bind = MPIT_BIND_COMM, .read = read_comm, .count_of = two},
};

static const struct mpit_table table = {MPIT_TABLE("minimal"), MPIT_LIST(pvars), MPIT_LIST(sources), MPIT_LIST(events), MPIT_LIST(categories)};

static const struct mpit_source late_sources[] = {
    {.size = sizeof(struct mpit_source), .name = "minimal_late_clock", .order = MPIT_SOURCE_ORDERED},
};

static const struct mpit_event late_events[] = {
    {.size = sizeof(struct mpit_event), .name = "minimal_late", .source = "minimal_late_clock", .elements = one_element,
     .num_elements = 1, .categories = in_steps, .cell = &late_cell},
};

static const struct mpit_table late_table = {
    .size = sizeof(struct mpit_table), .version = MPIT_MAJOR, .component = "minimal_late",
    .sources = late_sources, .num_sources = 1, .events = late_events, .num_events = 1};

void minimal_step(int safety)
{
    static int number;
    struct step step = {++number, 10ull * number, 0.5};
    mpit_raise(&step_cell, safety, 0, &step);
}

void minimal_use(unsigned long long datatype)
{
    int one = 1;
    mpit_raise(&bound_cell, MPIT_SAFETY_NONE, datatype, &one);
}

int minimal_grow(void)
{
    return mpit_register(&late_table);
}

void minimal_late(void)
{
    int one = 1;
    mpit_raise(&late_cell, MPIT_SAFETY_NONE, 0, &one);
}

BOTH(Abi_get_version, (int *major, int *minor), {
    *major = 1;
    *minor = 0;
})

BOTH(Get_version, (int *version, int *subversion), {
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
})

BOTH(Init, (int *argc, char ***argv), {
    is_up = 1;
    return mpit_register(&table);
})

BOTH(Finalize, (void), is_over = 1;)
BOTH(Initialized, (int *flag), *flag = is_up;)
BOTH(Finalized, (int *flag), *flag = is_over;)
BOTH(Query_thread, (int *provided), *provided = MPI_THREAD_MULTIPLE;)

BOTH(Comm_rank, (MPI_Comm comm, int *rank), *rank = 0;)
BOTH(Comm_size, (MPI_Comm comm, int *size), *size = 1;)
BOTH(Barrier, (MPI_Comm comm), {})

/* Messages of one number, to itself. */
BOTH(Sendrecv, (const void *out, int out_count, MPI_Datatype out_type, int dest, int out_tag, void *in, int in_count,
                MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status *status),
     *(int *)in = *(const int *)out;)

BOTH(Comm_create_errhandler, (MPI_Comm_errhandler_function *function, MPI_Errhandler *handler),
     *handler = MPI_ERRORS_RETURN;)

BOTH(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), {})
BOTH(Errhandler_free, (MPI_Errhandler *handler), *handler = MPI_ERRHANDLER_NULL;)

static char hint[8];

/* Takes the hint of a call that succeeded; returns the call's code. */
static int take_hint(int code, MPI_Info info)
{
    char value[sizeof hint] = "";
    int found = 0;
    if (code == MPI_SUCCESS)
        PMPI_Info_get(info, "minimal_hint", sizeof value - 1, value, &found);
    if (found)
        strcpy(hint, value);
    return code;
}

BOTH(T_event_handle_alloc, (int event, void *object, MPI_Info info, MPI_T_event_registration *registration), {
    return take_hint(IN_LIBMPIT(PMPI_T_event_handle_alloc, (int, void *, MPI_Info, MPI_T_event_registration *), event, object,
                                info, registration), info);
})

BOTH(T_event_handle_set_info, (MPI_T_event_registration registration, MPI_Info info), {
    return take_hint(IN_LIBMPIT(PMPI_T_event_handle_set_info, (MPI_T_event_registration, MPI_Info), registration, info), info);
})

BOTH(T_event_handle_get_info, (MPI_T_event_registration registration, MPI_Info *info), {
    int code = IN_LIBMPIT(PMPI_T_event_handle_get_info, (MPI_T_event_registration, MPI_Info *), registration, info);
    if (code == MPI_SUCCESS)
        PMPI_Info_set(*info, "minimal_hint", hint);
    return code;
})
