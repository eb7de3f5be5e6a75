/* mpit_core.h: libmpit_core, for MPI libraries that have functions of MPI_T of their own.
 *
 * The library registers tables of mpit_plugin.h with mpit_core_register, and updates their variables with the functions of
 * mpit_update.h. mpit_core_mpi.h makes the functions of MPI_T that tools call, from the MPI library's own functions, its mpi.h and
 * the functions below. Include this file alone to call these from functions of your own.
 *
 * No number here is one of mpi.h: classes, datatypes and so on are those of mpit_plugin.h. Identifiers are never 0, and their top
 * byte is never 0, so that none equals a pointer. Functions return 0 or an `enum mpit_core_error`, and write nothing if they fail.
 * Texts are returned by the rules of MPI_T: a buffer with its length, or null. Unless said otherwise, results may be null.
 *
 * The start, stop, read, write, reset and readreset of variables, and the functions of event instances, take no lock and allocate
 * nothing.
 */
#ifndef MPIT_CORE_H
#define MPIT_CORE_H

#include "mpit_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mpit_core_error {
    MPIT_CORE_SUCCESS,
    MPIT_CORE_INVALID,
    MPIT_CORE_MEMORY,
    MPIT_CORE_NOT_INITIALIZED,
    MPIT_CORE_CANNOT_INIT,
    MPIT_CORE_NOT_ACCESSIBLE,
    MPIT_CORE_NOT_SUPPORTED,
    MPIT_CORE_INVALID_INDEX,
    MPIT_CORE_INVALID_NAME,
    MPIT_CORE_INVALID_HANDLE,
    MPIT_CORE_OUT_OF_HANDLES,
    MPIT_CORE_OUT_OF_SESSIONS,
    MPIT_CORE_INVALID_SESSION,
    MPIT_CORE_CVAR_SET_NOT_NOW,
    MPIT_CORE_CVAR_SET_NEVER,
    MPIT_CORE_PVAR_NO_STARTSTOP,
    MPIT_CORE_PVAR_NO_WRITE,
    MPIT_CORE_PVAR_NO_ATOMIC,
    MPIT_CORE_NUM_ERRORS
};

enum mpit_core_thread { MPIT_CORE_SINGLE, MPIT_CORE_FUNNELED, MPIT_CORE_SERIALIZED, MPIT_CORE_MULTIPLE };

/* The start and end of the MPI library. */

/* Registers a table, which must exist until the process ends. May be called at any time, also before the other functions. A table
 * is registered when a tool uses the interface for the first time, unless a control variable in it may have a setting of the user: so
 * it costs next to nothing in a program without tools, and returns 0. One line on standard error names a mistake in a table. mpit_offer and
 * mpit_register of programs and of other libraries reach the same list. */
int mpit_core_register(const struct mpit_table *table);

/* Reports that MPI is initialized: from now on, variables with MPIT_CVAR_BEFORE_INIT cannot be set. `concurrent` is 1 if several
 * threads may call the library at once (MPI_THREAD_MULTIPLE); otherwise sums are counted without locked instructions. */
int mpit_core_mpi_initialized(int concurrent);

/* Reports that an object was freed. Its values of control variables are dropped. */
int mpit_core_object_freed(int kind, uint64_t id);

/* Adds a reference to the interface, and removes it. The last one frees all sessions, handles and registrations. */
int mpit_core_init(int required, int *provided);
int mpit_core_finalize(void);

/* Merged lists. The MPI library's entries come first, ours behind them. Both lists may grow: further entries are appended to the
 * merged list, in which no index ever changes. */
enum mpit_core_kind {
    MPIT_CORE_CVARS,
    MPIT_CORE_PVARS,
    MPIT_CORE_CATEGORIES,
    MPIT_CORE_EVENTS,
    MPIT_CORE_SOURCES
};
enum mpit_core_owner { MPIT_CORE_LIBRARY, MPIT_CORE_MPIT };

/* Returns the length of a merged list. The MPI library has `library` entries now. */
int mpit_core_count(int kind, int library, int *count);

/* Returns the owner of a merged index, and the index in the owner's list; the reverse. */
int mpit_core_split(int kind, int merged, int *owner, int *index);
int mpit_core_merge(int kind, int owner, int index, int *merged);

/* Returns 1 for an identifier of the functions below, and 0 for a pointer of the MPI library. Constants such as
 * MPI_T_PVAR_ALL_HANDLES are to be compared before. */
static inline int mpit_core_is_own(uint64_t id)
{
    return id >> 56 != 0;
}

/* Variables. `index` is that of our list. `object` is null if the tool passes no object. */
struct mpit_core_cvar {
    uint64_t enumeration; /* or 0 */
    int verbosity, datatype, bind, scope;
};
int mpit_core_cvar_info(int index, char *name, int *name_len, char *desc, int *desc_len, struct mpit_core_cvar *info);
int mpit_core_cvar_index(const char *name, int *index);
int mpit_core_cvar_handle_alloc(int index, const struct mpit_object *object, uint64_t *handle, int *count);
int mpit_core_cvar_handle_free(uint64_t handle);
int mpit_core_cvar_read(uint64_t handle, void *buffer);
int mpit_core_cvar_write(uint64_t handle, const void *buffer);

struct mpit_core_pvar {
    uint64_t enumeration; /* or 0 */
    int verbosity, pvar_class, datatype, bind, readonly, continuous, atomic;
};
int mpit_core_pvar_info(int index, char *name, int *name_len, char *desc, int *desc_len, struct mpit_core_pvar *info);
int mpit_core_pvar_index(const char *name, int pvar_class, int *index);

/* A session has one of the MPI library in it, which is returned when the session is freed. */
int mpit_core_session_create(void *library, uint64_t *session);
int mpit_core_session_of_library(uint64_t session, void **library);
int mpit_core_session_free(uint64_t session, void **library);

#define MPIT_CORE_ALL_HANDLES UINT64_MAX
int mpit_core_pvar_handle_alloc(uint64_t session, int index, const struct mpit_object *object, uint64_t *handle, int *count);
int mpit_core_pvar_handle_free(uint64_t session, uint64_t handle);
int mpit_core_pvar_start(uint64_t session, uint64_t handle);
int mpit_core_pvar_stop(uint64_t session, uint64_t handle);
int mpit_core_pvar_reset(uint64_t session, uint64_t handle);
int mpit_core_pvar_read(uint64_t session, uint64_t handle, void *buffer);
int mpit_core_pvar_write(uint64_t session, uint64_t handle, const void *buffer);
int mpit_core_pvar_readreset(uint64_t session, uint64_t handle, void *buffer);

/* Enumerations. */
int mpit_core_enum_info(uint64_t enumeration, int *num, char *name, int *name_len);
int mpit_core_enum_item(uint64_t enumeration, int index, int *value, char *name, int *name_len);

/* Categories. Members are returned with their merged indices; `count` is the number of all members of the kind. */
int mpit_core_category_info(int index, char *name, int *name_len, char *desc, int *desc_len);
int mpit_core_category_index(const char *name, int *index);
int mpit_core_category_members(int index, int kind, int len, int *indices, int *count);
/* Returns a number that rises when that of the MPI library's categories, `library`, or that of ours has changed. */
int mpit_core_update_number(int library, int *number);

/* Sources of events. */
struct mpit_core_source {
    int64_t ticks_per_second, max_ticks;
    int order;
};
int mpit_core_source_info(int index, char *name, int *name_len, char *desc, int *desc_len, struct mpit_core_source *info);
int mpit_core_source_timestamp(int index, int64_t *timestamp);

/* Events. */
struct mpit_core_event {
    int verbosity, bind, num_elements;
};
int mpit_core_event_info(int index, char *name, int *name_len, char *desc, int *desc_len, struct mpit_core_event *info,
                         int *datatypes, ptrdiff_t *displacements, int capacity);
int mpit_core_event_index(const char *name, int *index);

/* The functions of the MPI library that call a function of a tool, which was registered as `function`, with the types and numbers of
 * its mpi.h. */
struct mpit_core_delivery {
    uint64_t event; /* the instance */
    uint64_t registration;
    uint32_t safety; /* enum mpit_safety */
    void *user_data;
};
struct mpit_core_drops {
    int64_t count;
    uint64_t registration;
    int source; /* merged index */
    uint32_t safety;
    void *user_data;
};
struct mpit_core_free {
    uint64_t registration;
    uint32_t safety;
    void *user_data;
};
struct mpit_core_callbacks {
    void (*deliver)(void *function, const struct mpit_core_delivery *delivery);
    void (*dropped)(void *function, const struct mpit_core_drops *drops);
    void (*freed)(void *function, const struct mpit_core_free *free);
};
/* Call it before the first registration. */
int mpit_core_set_callbacks(const struct mpit_core_callbacks *callbacks);

int mpit_core_event_handle_alloc(int index, const struct mpit_object *object, uint64_t *registration);
int mpit_core_event_register_callback(uint64_t registration, int safety, void *function, void *user_data);
int mpit_core_event_has_callback(uint64_t registration, int safety, int *is_set);
int mpit_core_event_set_dropped_handler(uint64_t registration, void *function);
int mpit_core_event_handle_free(uint64_t registration, void *user_data, void *function);
int mpit_core_event_read(uint64_t event, int element, void *buffer);
int mpit_core_event_copy(uint64_t event, void *buffer);
int mpit_core_event_timestamp(uint64_t event, int64_t *timestamp);
int mpit_core_event_source(uint64_t event, int *source);

#ifdef __cplusplus
}
#endif

#endif
