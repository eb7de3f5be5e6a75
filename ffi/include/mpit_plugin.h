/* mpit_plugin.h: variables, events and components that a plug-in, a program or an MPI library in C defines for tools.
 *
 * Static tables describe variables, events, categories and components. The inline functions of mpit_update.h, which is included,
 * update variables and raise events, and tools access them through MPI_T. A complete plug-in:
 *
 *     #include <mpit_plugin.h>
 *
 *     static struct mpit_sum messages = MPIT_SUM_INIT;
 *     static const struct mpit_pvar pvars[] = {
 *         {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = "acme_messages", .description = "Messages sent.",
 *          .pvar_class = MPIT_CLASS_COUNTER, .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = &messages},
 *     };
 *     MPIT_PLUGIN("acme", MPIT_LIST(pvars))
 *
 * A plug-in is a shared object that MPIT_PLUGINS names, that is in a directory of MPIT_PLUGIN_PATH, or that
 * mpit_plugin_load loads. It links no library of mpit. An MPI library registers the same tables:
 *
 *     static const struct mpit_table table = {MPIT_TABLE("mylib"), MPIT_LIST(pvars)};
 *     mpit_register(&table);
 *
 * A program, or a library that is not an MPI library, offers its table to mpit if that is in the process, and links no
 * library of mpit:
 *
 *     mpit_offer(&table);
 *
 * All of them count in the same way: mpit_counter_add(&messages, 1);
 *
 * The same text is valid in C++20 if members are in the order of their struct. mpit.hpp has tables for C++17 and later, and mpit.f90
 * is for Fortran.
 *
 * Each descriptive struct begins with its own size. Later versions of this header append members; 0 always means the
 * behavior of the versions without the member. Tables and strings are copied. Storage, cells and functions must remain valid
 * until the process ends, so a plug-in is never unloaded. Sums, levels, cells, switches and the storage of settings change,
 * so they must not be `const`. Strings are UTF-8. This header needs no mpi.h, and its numbers differ from those of mpi.h.
 * Any thread may call the functions of a table; they must not throw exceptions.
 *
 * The inline functions use the atomic built-in functions of GCC and Clang.
 */
#ifndef MPIT_PLUGIN_H
#define MPIT_PLUGIN_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. mpit accepts tables and plug-ins of the same major version and any minor version. */
#define MPIT_MAJOR 1
#define MPIT_MINOR 0

enum mpit_class {
    MPIT_CLASS_STATE,
    MPIT_CLASS_LEVEL,
    MPIT_CLASS_SIZE,
    MPIT_CLASS_PERCENTAGE,
    MPIT_CLASS_HIGHWATERMARK,
    MPIT_CLASS_LOWWATERMARK,
    MPIT_CLASS_COUNTER,
    MPIT_CLASS_AGGREGATE,
    MPIT_CLASS_TIMER,
    MPIT_CLASS_GENERIC
};

enum mpit_datatype {
    MPIT_INT,
    MPIT_INT32_T,
    MPIT_INT64_T,
    MPIT_UNSIGNED,
    MPIT_UNSIGNED_LONG,
    MPIT_UNSIGNED_LONG_LONG,
    MPIT_UINT32_T,
    MPIT_UINT64_T,
    MPIT_COUNT,
    MPIT_CHAR, /* text: bytes up to a NUL */
    MPIT_DOUBLE
};

enum mpit_verbosity {
    MPIT_VERBOSITY_USER_BASIC,
    MPIT_VERBOSITY_USER_DETAIL,
    MPIT_VERBOSITY_USER_ALL,
    MPIT_VERBOSITY_TUNER_BASIC,
    MPIT_VERBOSITY_TUNER_DETAIL,
    MPIT_VERBOSITY_TUNER_ALL,
    MPIT_VERBOSITY_MPIDEV_BASIC,
    MPIT_VERBOSITY_MPIDEV_DETAIL,
    MPIT_VERBOSITY_MPIDEV_ALL
};

/* The kind of object that a tool binds a handle to. */
enum mpit_bind {
    MPIT_BIND_NO_OBJECT,
    MPIT_BIND_COMM,
    MPIT_BIND_DATATYPE,
    MPIT_BIND_ERRHANDLER,
    MPIT_BIND_FILE,
    MPIT_BIND_GROUP,
    MPIT_BIND_OP,
    MPIT_BIND_REQUEST,
    MPIT_BIND_WIN,
    MPIT_BIND_MESSAGE,
    MPIT_BIND_INFO,
    MPIT_BIND_SESSION
};

/* The requirements that the place where an event is raised makes on callbacks. */
enum mpit_safety {
    MPIT_SAFETY_NONE,
    MPIT_SAFETY_MPI_RESTRICTED,
    MPIT_SAFETY_THREAD_SAFE,
    MPIT_SAFETY_ASYNC_SIGNAL_SAFE
};

/* The processes that must set a control variable together. The description of a GROUP variable must name the group. */
enum mpit_scope {
    MPIT_SCOPE_CONSTANT, /* none */
    MPIT_SCOPE_READONLY, /* none, but the library may change it */
    MPIT_SCOPE_LOCAL,
    MPIT_SCOPE_GROUP,
    MPIT_SCOPE_GROUP_EQ,
    MPIT_SCOPE_ALL,
    MPIT_SCOPE_ALL_EQ
};

enum mpit_order { MPIT_SOURCE_ORDERED, MPIT_SOURCE_UNORDERED };

/* Flags of a performance variable. */
enum {
    MPIT_PVAR_READONLY = 1,   /* no write, no reset */
    MPIT_PVAR_CONTINUOUS = 2, /* always running */
    MPIT_PVAR_ATOMIC = 4,     /* can be read and reset in one atomic step: one element that only grows */
    MPIT_PVAR_CUMULATIVE = 8, /* a LEVEL, SIZE or GENERIC that only grows, like a COUNTER, AGGREGATE or TIMER: a handle has
                                 the increase while it was started */
    MPIT_PVAR_WRITABLE = 16   /* tools may write and reset the value of a handle, although it is not a sum */
};

/* Flags of a control variable. */
enum {
    MPIT_CVAR_BEFORE_INIT = 1 /* cannot be set after MPI is initialized */
};

/* The storage of a COUNTER, AGGREGATE or TIMER that costs a load and a branch while no handle is started. */
struct mpit_sum {
    uint64_t word;     /* the sum, or the bits of a double */
    uint32_t watchers; /* number of started handles */
    /* Set at the registration: 1 if several threads may add at once. */
    const uint8_t *concurrent;
};
#define MPIT_SUM_INIT {0, 0, 0}

/* The storage of a LEVEL that costs a store, a load and a branch, and of the watermarks of the same level. */
struct mpit_level {
    uint64_t word;    /* the level, or the bits of a double that is not negative */
    uint32_t running; /* number of started handles of watermarks */
    void *marks;
    /* Set at the registration. */
    void (*reached)(const struct mpit_level *level, uint64_t word);
};
#define MPIT_LEVEL_INIT {0, 0, 0, 0}

/* The names of the values of an MPIT_INT variable. Variables may share an enumeration; its name is unique. */
struct mpit_enum_item {
    int value;
    const char *name;
};
struct mpit_enum {
    size_t size;
    const char *name;
    const struct mpit_enum_item *items;
    size_t num_items;
};

/* The MPI object that a tool's handle is bound to. The struct is valid during the call. It describes the object at the time
 * when the handle was allocated; the object may have been freed since.
 *
 * Communicators and windows have numbers that are unique within the process: the `comm` of messages and operations, the
 * `window` of accesses. The number of any other object is its handle. libmpit.so, for MPI libraries without MPI_T, has no
 * numbers and ranks of communicators and windows: there their numbers are their handles, too. */
struct mpit_object {
    uint32_t kind;         /* enum mpit_bind */
    uint64_t id;           /* the number of the object among those of its kind; 0 for no object */
    uint32_t num_ranks;    /* of a communicator: the number of processes that messages on it go to */
    const uint32_t *ranks; /* their ranks in the world; null if rank r is process r of the world */
};
/* The rank in the world of a process outside of the world. */
#define MPIT_OUTSIDE UINT32_MAX

/* Writes the value of the variable for an object: `count` elements to `out`, which is aligned and filled with 0. Returns 0;
 * any other result makes the tool's call return MPI_T_ERR_INVALID. Any thread may call it. */
typedef int mpit_read_function(void *user_data, const struct mpit_object *object, void *out, int count);

/* Returns the number of elements for an object, from 1 to 2^24, which stays the same while a handle exists. Any other number
 * refuses the object. Any thread may call it. */
typedef int mpit_count_function(void *user_data, const struct mpit_object *object);

/* Called when a handle on the variable was started (`more` is 1) or stopped (-1). */
typedef void mpit_watch_function(void *user_data, int more);

/* Returns the level of an object, the same at each call, which must exist until the process ends. Null refuses the object.
 * Any thread may call it. */
typedef struct mpit_level *mpit_level_function(void *user_data, const struct mpit_object *object);

/* The members of the structs below that may be left out. In C++, their initializers prevent warnings about those that are. */
#ifdef __cplusplus
#define MPIT_OPTIONAL {}
#else
#define MPIT_OPTIONAL
#endif

/* The position of an entry in the source file, for messages, behind its size: {.size = .., MPIT_HERE, ..}. */
#define MPIT_HERE .file = __FILE__, .line = __LINE__

/* A performance variable. Its value is in exactly one of `sum`, `level`, `level_of`, `storage` and `read`. */
struct mpit_pvar {
    size_t size;
    const char *file MPIT_OPTIONAL; /* MPIT_HERE, or null and 0 */
    unsigned line MPIT_OPTIONAL;
    const char *name MPIT_OPTIONAL; /* unique within the class */
    const char *description MPIT_OPTIONAL;
    const char *const *categories MPIT_OPTIONAL; /* names, then a null pointer; or null */
    int pvar_class MPIT_OPTIONAL;                /* enum mpit_class */
    int datatype MPIT_OPTIONAL;                  /* enum mpit_datatype, one that the class allows */
    int verbosity MPIT_OPTIONAL;                 /* enum mpit_verbosity */
    int bind MPIT_OPTIONAL;                      /* enum mpit_bind */
    unsigned flags MPIT_OPTIONAL;                /* MPIT_PVAR_... */
    int count MPIT_OPTIONAL;                     /* number of elements, from 1 to 2^24 */
    struct mpit_sum *sum MPIT_OPTIONAL;          /* for one element of an unsigned type or a double */
    struct mpit_level *level MPIT_OPTIONAL;      /* the same, for LEVEL, HIGHWATERMARK and LOWWATERMARK; variables may share a level */
    mpit_level_function *level_of MPIT_OPTIONAL; /* instead of `level`, if each object has a level of its own */
    const void *storage MPIT_OPTIONAL;           /* `count` elements, each read atomically */
    mpit_read_function *read MPIT_OPTIONAL;      /* computes the value */
    mpit_count_function *count_of MPIT_OPTIONAL; /* with `read`, instead of `count`, which is then 0 */
    mpit_watch_function *watch MPIT_OPTIONAL;
    void *user_data MPIT_OPTIONAL;                     /* passed to the functions */
    const struct mpit_enum *enumeration MPIT_OPTIONAL; /* required for STATE, optional for other MPIT_INT variables */
};

/* Checks a value before it is set, and applies it: `count` elements; for text, the bytes before the NUL. Returns 0; any other result
 * refuses the value. Any thread may call it, also several at once; then it is called once more with the value that is stored in the
 * end, and the result of that call is ignored. */
typedef int mpit_set_function(void *user_data, const void *value, int count);

/* Instead of storage: `get` writes `count` elements of the value to `out`, which is filled with 0; `put` sets the value to
 * the `count` elements of `value`, or refuses them. Both return 0 on success. Any thread may call them. */
typedef int mpit_get_function(void *user_data, void *out, int count);
typedef int mpit_put_function(void *user_data, const void *value, int count);

/* Access functions for a bound variable: they get and set the value of one object, given by its `id`, without ranks. An
 * object has the default until its value is set. Without an object (kind MPIT_BIND_NO_OBJECT) they get and set the default
 * itself, which parameter files, the environment and `mpit run --set` change. */
typedef int mpit_get_of_function(void *user_data, const struct mpit_object *object, void *out, int count);
typedef int mpit_put_of_function(void *user_data, const struct mpit_object *object, const void *value, int count);

/* Called when an object was freed, with or without a value. Called for communicators and windows, whose `id` is never reused,
 * and for datatypes, error handlers, groups, operations and infos, whose `id` a later object may have. */
typedef void mpit_freed_function(void *user_data, const struct mpit_object *object);

/* A control variable. Its value at the registration is the default. MPIT_<NAME> in the environment, parameter files and
 * `mpit run --set` change it at the registration, and tools later. Each element is written atomically. */
struct mpit_cvar {
    size_t size;
    const char *file MPIT_OPTIONAL; /* MPIT_HERE, or null and 0 */
    unsigned line MPIT_OPTIONAL;
    const char *name MPIT_OPTIONAL; /* unique among control variables */
    const char *description MPIT_OPTIONAL;
    const char *const *categories MPIT_OPTIONAL; /* names, then a null pointer; or null */
    int datatype MPIT_OPTIONAL;                  /* enum mpit_datatype */
    int verbosity MPIT_OPTIONAL;                 /* enum mpit_verbosity */
    int bind MPIT_OPTIONAL;                      /* enum mpit_bind; each object has a value of its own */
    int scope MPIT_OPTIONAL;                     /* enum mpit_scope */
    unsigned flags MPIT_OPTIONAL;                /* MPIT_CVAR_... */
    int count MPIT_OPTIONAL;                     /* number of elements; for text, of bytes with the NUL */
    void *storage MPIT_OPTIONAL;                 /* `count` elements; may be constant for CONSTANT and READONLY */
    mpit_set_function *set MPIT_OPTIONAL;        /* or null: all values are accepted */
    mpit_get_function *get MPIT_OPTIONAL;        /* with `put`, instead of `storage` and `set` */
    mpit_put_function *put MPIT_OPTIONAL;
    mpit_get_of_function *get_of MPIT_OPTIONAL; /* with `put_of` and `bind`, instead of `storage`, `set`, `get` and `put` */
    mpit_put_of_function *put_of MPIT_OPTIONAL;
    mpit_freed_function *freed MPIT_OPTIONAL;          /* or null */
    void *user_data MPIT_OPTIONAL;                     /* passed to the functions */
    const struct mpit_enum *enumeration MPIT_OPTIONAL; /* the only values of an MPIT_INT variable, or null */
    const char *const *aliases MPIT_OPTIONAL;          /* further names for settings, then a null pointer; or null */
    const char *const *environment MPIT_OPTIONAL; /* further environment variables, by precedence, then a null pointer; or null */
};

/* A source of events, with a clock. */
struct mpit_source {
    size_t size;
    const char *file MPIT_OPTIONAL; /* MPIT_HERE, or null and 0 */
    unsigned line MPIT_OPTIONAL;
    const char *name MPIT_OPTIONAL; /* unique among sources */
    const char *description MPIT_OPTIONAL;
    int order MPIT_OPTIONAL; /* enum mpit_order; ordered means that events are raised from one thread at a time */
};

/* The mutable state of an event type. */
struct mpit_event_cell {
    uint32_t listeners; /* number of registrations of tools */
    /* Set at the registration. */
    const void *event;
    void (*raise)(const struct mpit_event_cell *cell, int safety, uint64_t object, const void *payload);
};
#define MPIT_EVENT_CELL_INIT {0, 0, 0}

/* One element of an event: a member of its payload struct. */
struct mpit_element {
    int datatype;        /* enum mpit_datatype */
    size_t displacement; /* offsetof */
    const char *name;    /* null for all elements, or for none */
};
/* The element of a member of the payload struct, whose name it has. */
#define MPIT_ELEMENT(PAYLOAD, MEMBER, DATATYPE) {(DATATYPE), offsetof(PAYLOAD, MEMBER), #MEMBER}

/* An event type. The displacements of elements ascend from 0, and the last element ends before byte 256. */
struct mpit_event {
    size_t size;
    const char *file MPIT_OPTIONAL; /* MPIT_HERE, or null and 0 */
    unsigned line MPIT_OPTIONAL;
    const char *name MPIT_OPTIONAL; /* unique among event types */
    const char *description MPIT_OPTIONAL;
    const char *const *categories MPIT_OPTIONAL; /* names, then a null pointer; or null */
    int verbosity MPIT_OPTIONAL;                 /* enum mpit_verbosity */
    int bind MPIT_OPTIONAL;                      /* enum mpit_bind */
    const char *source MPIT_OPTIONAL; /* the name of a source of this table, or of one that was registered before */
    const struct mpit_element *elements MPIT_OPTIONAL;
    size_t num_elements MPIT_OPTIONAL;
    struct mpit_event_cell *cell MPIT_OPTIONAL; /* one for each event type */
};

/* A category. A category that variables or events name needs no entry, but has no description without one. */
struct mpit_category {
    size_t size;
    const char *file MPIT_OPTIONAL; /* MPIT_HERE, or null and 0 */
    unsigned line MPIT_OPTIONAL;
    const char *name MPIT_OPTIONAL;
    const char *description MPIT_OPTIONAL;
    const char *parent MPIT_OPTIONAL; /* the category that contains it, or null; for several parents, write several entries */
    const char *const *contains MPIT_OPTIONAL; /* names of the categories in it, then a null pointer; or null */
};

/* The mode of a send. */
enum mpit_mode { MPIT_STANDARD, MPIT_BUFFERED, MPIT_SYNCHRONOUS, MPIT_READY };

/* A message that this process sends. */
struct mpit_message {
    uint64_t comm;  /* the number of the communicator, unique within the process: the `id` of its mpit_object */
    uint64_t bytes; /* of payload */
    uint32_t dest;  /* the receiver's rank in the communicator */
    uint32_t to;    /* its rank in the world, or MPIT_OUTSIDE */
    int32_t tag;    /* negative for messages that the library sends for its own purposes */
    uint32_t mode;  /* enum mpit_mode */
};

enum mpit_access_kind {
    MPIT_PUT,
    MPIT_GET,
    MPIT_ACCUMULATE,
    MPIT_GET_ACCUMULATE,
    MPIT_FETCH_AND_OP,
    MPIT_COMPARE_AND_SWAP
};

/* An access of this process to memory of another one. */
struct mpit_access {
    uint64_t window;   /* the number of the window, unique within the process */
    uint64_t sent;     /* bytes sent to the target */
    uint64_t received; /* bytes returned from the target */
    uint32_t rank;     /* the target's rank in the group of the window */
    uint32_t target;   /* its rank in the world, or MPIT_OUTSIDE */
    uint32_t kind;     /* enum mpit_access_kind */
};

enum mpit_operation_kind {
    MPIT_BCAST,
    MPIT_SCATTER,
    MPIT_SCATTERV,
    MPIT_GATHER,
    MPIT_GATHERV,
    MPIT_REDUCE,
    MPIT_ALLGATHER,
    MPIT_ALLGATHERV,
    MPIT_ALLREDUCE,
    MPIT_ALLTOALL,
    MPIT_ALLTOALLV,
    MPIT_ALLTOALLW,
    MPIT_REDUCE_SCATTER,
    MPIT_REDUCE_SCATTER_BLOCK,
    MPIT_SCAN,
    MPIT_EXSCAN,
    MPIT_BARRIER,
    MPIT_NEIGHBOR_ALLGATHER,
    MPIT_NEIGHBOR_ALLGATHERV,
    MPIT_NEIGHBOR_ALLTOALL,
    MPIT_NEIGHBOR_ALLTOALLV,
    MPIT_NEIGHBOR_ALLTOALLW
};

/* The root of an operation: none (or another process of this one's group of an intercommunicator), this process,
 * or the process of rank `root`. */
enum mpit_root { MPIT_ROOT_NONE, MPIT_ROOT_HERE, MPIT_ROOT_AT };

/* A collective operation that this process takes part in. */
struct mpit_operation {
    uint64_t comm;     /* the number of the communicator, unique within the process */
    uint32_t kind;     /* enum mpit_operation_kind; nonblocking and persistent operations have the same kind */
    uint32_t rank;     /* of this process in the communicator */
    uint32_t root_is;  /* enum mpit_root */
    uint32_t root;     /* for MPIT_ROOT_AT */
    uint32_t in_place; /* 1 if this process passed MPI_IN_PLACE */
    /* The number of processes that may exchange data, including this one: those of the communicator; of an
     * intercommunicator, of the remote group; for neighborhood operations, the neighbors that this process sends to. */
    uint32_t size;
    uint64_t bytes;    /* exchanged with each other process, if `with` is null */
    /* Returns the bytes exchanged with a rank, or with a neighbor by its number: see mpit_operation_bytes. */
    uint64_t (*with)(const void *volumes, uint32_t rank);
    const void *volumes;
};

/* The subscription of a component to the operations of its framework. Without a subscriber, operations cost nothing. */
struct mpit_switch {
    uint32_t reasons; /* number of calls of mpit_switch_on without a mpit_switch_off */
    /* Set at the registration. */
    const void *host;
    void (*turn)(const void *host, int more);
};
#define MPIT_SWITCH_INIT {0, 0, 0}

/* Adds a line to the output of monitoring; control characters become spaces. */
typedef void (*mpit_add_line)(void *lines, const char *text);

/* A component, which is notified of each operation of one framework. Functions may be null; those of other frameworks are
 * not called. The thread that communicates calls `sent`, `accessed` and `done` for each operation, so they must not take
 * locks, and must not call MPI. The preload library reports operations; libmpit.so alone does not. */
struct mpit_component {
    size_t size;
    const char *file MPIT_OPTIONAL; /* MPIT_HERE, or null and 0 */
    unsigned line MPIT_OPTIONAL;
    const char *framework MPIT_OPTIONAL; /* "pml" for messages, "osc" for accesses, "coll" for collective operations */
    const char *name MPIT_OPTIONAL;      /* unique within the framework; the name in pml_components and so on */
    const char *description MPIT_OPTIONAL;
    struct mpit_switch *listening MPIT_OPTIONAL; /* or null: it is notified of all operations */
    void *user_data MPIT_OPTIONAL;               /* passed to the functions */
    /* Called for a selected component when MPI is initialized, or when the plug-in is loaded later. Returns 0; any
     * other result keeps the component closed. */
    int (*open)(void *user_data, uint32_t world_rank, uint32_t world_size) MPIT_OPTIONAL;
    /* Called when MPI is finalized or the plug-in is deactivated, if `open` returned 0. */
    void (*close)(void *user_data) MPIT_OPTIONAL;
    void (*sent)(void *user_data, const struct mpit_message *message) MPIT_OPTIONAL;     /* pml */
    void (*accessed)(void *user_data, const struct mpit_access *access) MPIT_OPTIONAL;   /* osc */
    void (*done)(void *user_data, const struct mpit_operation *operation) MPIT_OPTIONAL; /* coll */
    /* coll: called when a communicator is freed while the component is open, with or without a subscription. */
    void (*freed)(void *user_data, uint64_t comm) MPIT_OPTIONAL;
    /* Called when the program calls MPI_Pcontrol while the component is open, with or without a subscription. */
    void (*pcontrol)(void *user_data, int level) MPIT_OPTIONAL;
    /* Called while the component is open and monitoring writes its output, at the end of MPI or for MPI_Pcontrol(2):
     * add(lines, "text") adds a line of the component. */
    void (*report)(void *user_data, mpit_add_line add, void *lines) MPIT_OPTIONAL;
};

/* The entries that are registered in one step. Empty lists may be null. */
struct mpit_table {
    size_t size;
    uint32_t version MPIT_OPTIONAL;      /* MPIT_MAJOR */
    const char *component MPIT_OPTIONAL; /* the name of the registering library, for messages and as the first key of the order of indices */
    const struct mpit_pvar *pvars MPIT_OPTIONAL;
    size_t num_pvars MPIT_OPTIONAL;
    const struct mpit_cvar *cvars MPIT_OPTIONAL;
    size_t num_cvars MPIT_OPTIONAL;
    const struct mpit_source *sources MPIT_OPTIONAL;
    size_t num_sources MPIT_OPTIONAL;
    const struct mpit_event *events MPIT_OPTIONAL;
    size_t num_events MPIT_OPTIONAL;
    const struct mpit_category *categories MPIT_OPTIONAL;
    size_t num_categories MPIT_OPTIONAL;
    const struct mpit_component *components MPIT_OPTIONAL;
    size_t num_components MPIT_OPTIONAL;
};

/* MPIT_TABLE initializes the first members of a table, MPIT_LIST a list from the array that is named like the member. */
#define MPIT_TABLE(NAME) .size = sizeof(struct mpit_table), .version = MPIT_MAJOR, .component = (NAME)
#define MPIT_LIST(KIND) .KIND = KIND, .num_##KIND = sizeof KIND / sizeof KIND[0]

/* Registers a table. May be called at any time and by any thread. Returns MPI_SUCCESS, or an error code of MPI_T after one line
 * on standard error with the entry and the reason; then no entry of the table is registered. */
int mpit_register(const struct mpit_table *table);

/* Registers a table of a program, or of a library that is not an MPI library, if mpit is in this process, as under
 * `mpit run`. Otherwise it does nothing and returns 0. It links no library of mpit (before glibc 2.34, -ldl: pkg-config
 * mpit-plugin). The object that contains the table stays loaded until the process ends. */
static inline int mpit_offer(const struct mpit_table *table)
{
    int (*function)(const struct mpit_table *);
    /* RTLD_DEFAULT, which not every dlfcn.h declares unless a macro requests it. */
    *(void **)&function = dlsym((void *)0, "mpit_register");
    return function ? function(table) : 0;
}

/* Returns the number of a communicator, given the address of an MPI_Comm: the `id` of its mpit_object, and the `comm` of messages and
 * operations. Returns 0 for MPI_COMM_NULL, and if MPI is not initialized. See mpit_comm_counter_of for a library that links none of
 * mpit's. */
uint64_t mpit_comm_number(const void *comm);

/* Loads and activates a plug-in by its path; no effect if it is active already. Its variables and events are appended to the
 * existing ones. Returns MPI_SUCCESS and, if `plugin` is not null, the number of the plug-in; or an error code of MPI_T after
 * one line on standard error, also for a plug-in that was deactivated. Do not call it in a callback of a tool.
 *
 * The constructors of the plug-in run in this process, once. `mpit check` tests in a process of its own if a plug-in crashes,
 * hangs or calls exit at its start. */
int mpit_plugin_load(const char *path, int *plugin);

/* Deactivates a plug-in for the rest of the process. Its variables and events stay listed under their indices. Handles on its
 * variables become invalid, its events are not delivered any more, and handles and registrations can only be freed. Its
 * components are closed. Its code is never unloaded, so functions of it that are running continue. */
int mpit_plugin_deactivate(int plugin);

/* The mpit that loads a plug-in. */
struct mpit_host {
    uint32_t magic; /* MPIT_MAGIC */
    uint16_t major; /* MPIT_MAJOR */
    uint16_t minor; /* MPIT_MINOR */
    size_t size;
    const char *name; /* for messages */
};

/* The description of a plug-in. */
struct mpit_plugin {
    uint32_t magic; /* MPIT_MAGIC */
    uint16_t major; /* MPIT_MAJOR */
    uint16_t minor; /* MPIT_MINOR */
    size_t size;
    const char *name;
    const struct mpit_table *table;
    /* Called once, before its variables can be used. Returns 0; any other result refuses the activation. Or null. */
    int (*activate)(void);
    /* Called at the deactivation, after its variables became unusable. Or null. */
    void (*deactivate)(void);
    /* The reason why it cannot be used, in one line; or null. */
    const char *problem;
    /* Called at the activation and at each change; `concurrent` is 1 if several threads may communicate at once. Or null. */
    void (*set_concurrent)(int concurrent);
};
#define MPIT_MAGIC 0x5449504du

/* The only exported function of a plug-in, mpit_plugin_v1. Returns null if the plug-in cannot work with this host. */
typedef const struct mpit_plugin *mpit_plugin_function(const struct mpit_host *host);

/* Defines a plug-in from its lists: MPIT_PLUGIN("acme", MPIT_LIST(pvars), MPIT_LIST(cvars)). C++ has designated initializers since
 * C++20, and wants lists, like members, in the order of their struct. */
#define MPIT_PLUGIN(NAME, ...) MPIT_PLUGIN_WITH(NAME, 0, 0, __VA_ARGS__)

/* Defines a plug-in with functions that run at its activation and deactivation. */
#define MPIT_PLUGIN_WITH(NAME, ACTIVATE, DEACTIVATE, ...)                                 \
    static const struct mpit_table mpit_plugin_table = {MPIT_TABLE(NAME), __VA_ARGS__};   \
    MPIT_PLUGIN_OF(NAME, ACTIVATE, DEACTIVATE, mpit_plugin_table)

/* Defines a plug-in of a table. */
#define MPIT_PLUGIN_OF(NAME, ACTIVATE, DEACTIVATE, TABLE)                                                              \
    MPIT_EXPORT const struct mpit_plugin *mpit_plugin_v1(const struct mpit_host *host);                                 \
    MPIT_EXPORT const struct mpit_plugin *mpit_plugin_v1(const struct mpit_host *host)                                  \
    {                                                                                                                   \
        static const struct mpit_plugin plugin = {MPIT_MAGIC, MPIT_MAJOR, MPIT_MINOR, sizeof(struct mpit_plugin),       \
                                                  (NAME),     &(TABLE),   (ACTIVATE), (DEACTIVATE), 0, 0};               \
        return host->magic == MPIT_MAGIC && host->major == MPIT_MAJOR ? &plugin : 0;                                    \
    }
#ifdef __cplusplus
#define MPIT_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define MPIT_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
}
#endif

#include "mpit_update.h"

#endif
