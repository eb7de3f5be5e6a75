/* mpit_register.h: what an MPI library written in C shows to tools.
 *
 * The library describes its variables and events in static tables, calls mpit_register once, and from then on counts and
 * raises through the inline functions below. Tools see it all through MPI_T.
 *
 *     static struct mpit_sum messages = MPIT_SUM_INIT;
 *     static const struct mpit_pvar pvars[] = {
 *         {.size = sizeof(struct mpit_pvar), .name = "messages", .description = "Messages sent.",
 *          .pvar_class = MPIT_CLASS_COUNTER, .datatype = MPIT_UNSIGNED_LONG_LONG,
 *          .verbosity = MPIT_VERBOSITY_USER_BASIC, .count = 1, .sum = &messages},
 *     };
 *     static const struct mpit_table table = {
 *         .size = sizeof(struct mpit_table), .version = MPIT_REGISTER_VERSION, .component = "mylib",
 *         .pvars = pvars, .num_pvars = sizeof pvars / sizeof pvars[0]};
 *
 *     mpit_register(&table);
 *     mpit_counter_add(&messages, 1);
 *
 * Descriptors begin with their own size. Later versions of this header append members; 0 always stands for what was before
 * there was such a member. Tables and strings are copied; storage, cells and functions have to stay for ever. Strings are
 * UTF-8. No mpi.h is needed, and the numbers here are those of no mpi.h.
 *
 * The inline functions use the atomic built-in functions of GCC and Clang.
 */
#ifndef MPIT_REGISTER_H
#define MPIT_REGISTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPIT_REGISTER_VERSION 1

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

/* What a tool has to name when it makes a handle. Communicators cannot be told apart yet: MPIT_BIND_COMM is refused. */
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

/* What callbacks must be fit for where an event is raised. */
enum mpit_safety {
    MPIT_SAFETY_NONE,
    MPIT_SAFETY_MPI_RESTRICTED,
    MPIT_SAFETY_THREAD_SAFE,
    MPIT_SAFETY_ASYNC_SIGNAL_SAFE
};

/* Who sets a control variable together. The description of a GROUP one has to name the group. */
enum mpit_scope {
    MPIT_SCOPE_CONSTANT, /* nobody */
    MPIT_SCOPE_READONLY, /* nobody, but the library may change it */
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
    MPIT_PVAR_ATOMIC = 4      /* can be read and reset in one step; COUNTER, AGGREGATE and TIMER only */
};

/* The storage of a COUNTER, AGGREGATE or TIMER that costs a load and a branch while nobody looks. */
struct mpit_sum {
    uint64_t word;     /* the sum, or the bits of a double */
    uint32_t watchers; /* started handles */
};
#define MPIT_SUM_INIT {0, 0}

/* The storage of a LEVEL that costs a store, a load and a branch, and of the watermarks of the same level. */
struct mpit_level {
    uint64_t word;    /* the level, or the bits of a double that is not negative */
    uint32_t running; /* watermarks that have to be moved */
    void *marks;
};
#define MPIT_LEVEL_INIT {0, 0, 0}

/* Names for the values of an MPIT_INT variable. Variables may share one; its name is unique. */
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

/* The value of the variable for an object: `count` elements to `out`, which is all 0 and aligned. `object` is the handle of
 * the MPI object that a tool's handle is bound to, as a number; 0 for none. Returns 0; anything else and the tool gets
 * MPI_T_ERR_INVALID. May be called by any thread. */
typedef int mpit_read_function(void *user_data, uint64_t object, void *out, int count);

/* A performance variable. Its value is in exactly one of `sum`, `level`, `storage` and `read`. */
struct mpit_pvar {
    size_t size;
    const char *name; /* unique within the class */
    const char *description;
    int pvar_class;               /* enum mpit_class */
    int datatype;                 /* enum mpit_datatype, as the class admits */
    int verbosity;                /* enum mpit_verbosity */
    int bind;                     /* enum mpit_bind */
    unsigned flags;               /* MPIT_PVAR_... */
    int count;                    /* elements, 1 or more */
    const char *const *categories; /* names, then a null pointer; or null */
    struct mpit_sum *sum;         /* for one element of an unsigned type or a double */
    struct mpit_level *level;     /* the same, for LEVEL, HIGHWATERMARK and LOWWATERMARK; several may have one level */
    const void *storage;          /* `count` elements, each read atomically */
    mpit_read_function *read;     /* computes the value */
    void *user_data;              /* for `read` */
    const struct mpit_enum *enumeration; /* a STATE has one, other MPIT_INT variables may */
};

/* Asked before a control variable takes a value: `count` elements, for text the bytes before the NUL. Returns 0; anything
 * else refuses the value. May be called by any thread. */
typedef int mpit_set_function(void *user_data, const void *value, int count);

/* A control variable. Its value at the registration is the default; MPIT_<NAME> in the environment, parameter files and
 * `mpit run --set` may change it at once, and tools later. Elements are written atomically one by one. */
struct mpit_cvar {
    size_t size;
    const char *name; /* unique among control variables */
    const char *description;
    int datatype;                        /* enum mpit_datatype */
    int verbosity;                       /* enum mpit_verbosity */
    int scope;                           /* enum mpit_scope */
    int count;                           /* elements; of text, bytes with the NUL */
    const char *const *categories;       /* names, then a null pointer; or null */
    void *storage;                       /* `count` elements */
    mpit_set_function *set;              /* or null: all values are taken */
    void *user_data;                     /* for `set` */
    const struct mpit_enum *enumeration; /* the only values of an MPIT_INT variable, or null */
};

/* An emitter of events, with a clock. */
struct mpit_source {
    size_t size;
    const char *name; /* unique among sources */
    const char *description;
    int order; /* enum mpit_order; ordered means that events are raised from one thread at a time */
};

/* What moves of an event type. */
struct mpit_event_cell {
    uint32_t listeners; /* registrations of tools */
    const void *event;  /* set by mpit_register */
};
#define MPIT_EVENT_CELL_INIT {0, 0}

/* One element of an event: a member of the struct that is its payload. */
struct mpit_element {
    int datatype;        /* enum mpit_datatype */
    size_t displacement; /* offsetof */
    const char *name;    /* null for all elements, or for none */
};

/* An event type. Elements ascend, the first lies at 0, and the last ends before byte 256. */
struct mpit_event {
    size_t size;
    const char *name; /* unique among event types */
    const char *description;
    int verbosity; /* enum mpit_verbosity */
    int bind;      /* enum mpit_bind */
    const char *source; /* a source of this table, or one that was registered before */
    const struct mpit_element *elements;
    size_t num_elements;
    const char *const *categories; /* names, then a null pointer; or null */
    struct mpit_event_cell *cell;  /* one for each event type */
};

/* A category. Those that variables and events name need no entry, but get no description without one. */
struct mpit_category {
    size_t size;
    const char *name;
    const char *description;
    const char *parent; /* the category that it is in, or null */
};

/* All that is registered in one step. Lists may be null if they have no entries. */
struct mpit_table {
    size_t size;
    uint32_t version;      /* MPIT_REGISTER_VERSION */
    const char *component; /* who registers: part of messages, and first key of the order of indices */
    const struct mpit_pvar *pvars;
    size_t num_pvars;
    const struct mpit_source *sources;
    size_t num_sources;
    const struct mpit_event *events;
    size_t num_events;
    const struct mpit_category *categories;
    size_t num_categories;
    const struct mpit_cvar *cvars;
    size_t num_cvars;
};

/* Registers a table, at any time and from any thread. Returns MPI_SUCCESS, or an error code of MPI_T after one line on
 * standard error that names the entry and the reason; then nothing of the table is registered. */
int mpit_register(const struct mpit_table *table);

/* Tells an event to those who listen. Called by mpit_raise. */
void mpit_raise_now(const struct mpit_event_cell *cell, int safety, uint64_t object, const void *payload);

/* Moves the watermarks of a level to a value that it reached. Called by mpit_level_set. */
void mpit_level_reached(const struct mpit_level *level, uint64_t word);

/* Whether a handle on the sum is started: to spare work that only serves the sum. */
static inline int mpit_sum_watched(const struct mpit_sum *sum)
{
    return __atomic_load_n(&sum->watchers, __ATOMIC_RELAXED) != 0;
}

/* Adds to a sum of an unsigned type, if a handle on it is started; otherwise one load and a branch. */
static inline void mpit_counter_add(struct mpit_sum *sum, uint64_t amount)
{
    if (mpit_sum_watched(sum))
        __atomic_fetch_add(&sum->word, amount, __ATOMIC_RELAXED);
}

/* The same for a sum of doubles. Negative amounts count as 0. */
static inline void mpit_sum_add_double(struct mpit_sum *sum, double amount)
{
    union {
        uint64_t bits;
        double number;
    } seen, next;
    if (!mpit_sum_watched(sum) || !(amount > 0))
        return;
    seen.bits = __atomic_load_n(&sum->word, __ATOMIC_RELAXED);
    do {
        next.number = seen.number + amount;
    } while (!__atomic_compare_exchange_n(&sum->word, &seen.bits, next.bits, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* Sets a level of an unsigned type. */
static inline void mpit_level_set(struct mpit_level *level, uint64_t value)
{
    /* Either a watermark that begins sees the new level, or it is seen here. */
    __atomic_exchange_n(&level->word, value, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&level->running, __ATOMIC_SEQ_CST))
        mpit_level_reached(level, value);
}

/* The same for a level of doubles. Negative numbers and NaN count as 0. */
static inline void mpit_level_set_double(struct mpit_level *level, double value)
{
    union {
        double number;
        uint64_t bits;
    } word;
    word.number = value > 0 ? value : 0;
    mpit_level_set(level, word.bits);
}

/* Whether somebody listens to an event: to spare computing the payload. */
static inline int mpit_event_heard(const struct mpit_event_cell *cell)
{
    return __atomic_load_n(&cell->listeners, __ATOMIC_RELAXED) != 0;
}

/* Raises an event: without listeners one load and a branch. `safety` is what callbacks must be fit for here (enum
 * mpit_safety), `object` the handle of the MPI object that it concerns, as a number, or 0; the payload is copied. */
static inline void mpit_raise(const struct mpit_event_cell *cell, int safety, uint64_t object, const void *payload)
{
    if (mpit_event_heard(cell))
        mpit_raise_now(cell, safety, object, payload);
}

#ifdef __cplusplus
}
#endif

#endif
