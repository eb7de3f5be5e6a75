/* mpit_core_mpi.h: the 51 functions of MPI_T for an MPI library that has such functions itself.
 *
 * Include it in one source file of the library, after its mpi.h, which has the functions of MPI 4.0. It defines them as PMPI_T_*,
 * with the weak names MPI_T_*. Each returns the library's own entries first and those of libmpit_core behind them; for the former it
 * calls the library's own function, mpit_own_* (mpit_core_own.h renames these). Handles of the two differ by their values,
 * which are as wide as pointers. Names of variables, events and categories are found among the library's own first.
 *
 * Macros that may be defined before:
 *     MPIT_CORE_BIND_SESSION         for an mpi.h without MPI_T_BIND_MPI_SESSION: the number to return for it
 *     MPIT_CORE_ERR_NOT_ACCESSIBLE   for an mpi.h without MPI_T_ERR_NOT_ACCESSIBLE: the code to return for it
 *     MPIT_CORE_FILE, MPIT_CORE_SESSION   for an mpi.h without MPI_File or MPI_Session: the type of such handles
 *
 * The library's own finalize function ends the library's sessions, which are not passed to it one by one.
 */
#ifndef MPIT_CORE_MPI_H
#define MPIT_CORE_MPI_H

#include "mpit_core.h"
#include "mpit_core_objects.h"

#ifndef MPIT_CORE_BIND_SESSION
#define MPIT_CORE_BIND_SESSION MPI_T_BIND_MPI_SESSION
#endif
#ifndef MPIT_CORE_ERR_NOT_ACCESSIBLE
#define MPIT_CORE_ERR_NOT_ACCESSIBLE MPI_T_ERR_NOT_ACCESSIBLE
#endif

/* Begins the definition of a function, of which it declares the library's own one. */
#define MPIT_CORE_FUNCTION(NAME, PARAMETERS)                                          \
    extern __typeof__(PMPI_T_##NAME) mpit_own_##NAME;                                 \
    extern int MPI_T_##NAME PARAMETERS __attribute__((weak, alias("PMPI_T_" #NAME))); \
    int PMPI_T_##NAME PARAMETERS

/* Handles of the library are as wide as the identifiers of libmpit_core. */
typedef char mpit_core_handles_are_wide[
    sizeof(MPI_T_pvar_handle) == 8 && sizeof(MPI_T_pvar_session) == 8 && sizeof(MPI_T_cvar_handle) == 8 && sizeof(MPI_T_enum) == 8 &&
    sizeof(MPI_T_event_registration) == 8 && sizeof(MPI_T_event_instance) == 8 ? 1 : -1];
#define MPIT_CORE_ID(HANDLE) ((uint64_t)(uintptr_t)(HANDLE))
#define MPIT_CORE_IS_OWN(HANDLE) mpit_core_is_own(MPIT_CORE_ID(HANDLE))
#define MPIT_CORE_HANDLE(TYPE, ID) ((TYPE)(uintptr_t)(ID))

/* Returns from the calling function if a call of MPI_T, or one of libmpit_core, fails. */
#define MPIT_CORE_TRY(CALL)           \
    do {                              \
        int mpit_code = (CALL);       \
        if (mpit_code != MPI_SUCCESS) \
            return mpit_code;         \
    } while (0)
#define MPIT_CORE_CALL(CALL) MPIT_CORE_TRY(mpit_core_code(CALL))
#define MPIT_CORE_NOT_NULL(POINTER) MPIT_CORE_TRY((POINTER) ? MPI_SUCCESS : MPI_T_ERR_INVALID)
#define MPIT_CORE_SET(POINTER, VALUE) \
    do {                              \
        if (POINTER)                  \
            *(POINTER) = (VALUE);     \
    } while (0)

/* Numbers of mpi.h by those of mpit_plugin.h and mpit_core.h, and the reverse. */
static int mpit_core_code(int error)
{
    static const int codes[MPIT_CORE_NUM_ERRORS] = {
        MPI_SUCCESS, MPI_T_ERR_INVALID, MPI_T_ERR_MEMORY, MPI_T_ERR_NOT_INITIALIZED, MPI_T_ERR_CANNOT_INIT,
        MPIT_CORE_ERR_NOT_ACCESSIBLE, MPI_T_ERR_NOT_SUPPORTED, MPI_T_ERR_INVALID_INDEX, MPI_T_ERR_INVALID_NAME,
        MPI_T_ERR_INVALID_HANDLE, MPI_T_ERR_OUT_OF_HANDLES, MPI_T_ERR_OUT_OF_SESSIONS, MPI_T_ERR_INVALID_SESSION,
        MPI_T_ERR_CVAR_SET_NOT_NOW, MPI_T_ERR_CVAR_SET_NEVER, MPI_T_ERR_PVAR_NO_STARTSTOP, MPI_T_ERR_PVAR_NO_WRITE,
        MPI_T_ERR_PVAR_NO_ATOMIC};
    return error >= 0 && error < MPIT_CORE_NUM_ERRORS ? codes[error] : MPI_T_ERR_INVALID;
}

static MPI_Datatype mpit_core_datatype(int datatype)
{
    const MPI_Datatype all[] = {MPI_INT, MPI_INT32_T, MPI_INT64_T, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG,
                                MPI_UINT32_T, MPI_UINT64_T, MPI_COUNT, MPI_CHAR, MPI_DOUBLE};
    return (size_t)datatype < sizeof all / sizeof *all ? all[datatype] : MPI_DATATYPE_NULL;
}

static const int mpit_core_threads[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
static const int mpit_core_verbosities[] = {
    MPI_T_VERBOSITY_USER_BASIC, MPI_T_VERBOSITY_USER_DETAIL, MPI_T_VERBOSITY_USER_ALL,
    MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_VERBOSITY_TUNER_DETAIL, MPI_T_VERBOSITY_TUNER_ALL,
    MPI_T_VERBOSITY_MPIDEV_BASIC, MPI_T_VERBOSITY_MPIDEV_DETAIL, MPI_T_VERBOSITY_MPIDEV_ALL};
static const int mpit_core_binds[] = {
    MPI_T_BIND_NO_OBJECT, MPI_T_BIND_MPI_COMM, MPI_T_BIND_MPI_DATATYPE, MPI_T_BIND_MPI_ERRHANDLER, MPI_T_BIND_MPI_FILE,
    MPI_T_BIND_MPI_GROUP, MPI_T_BIND_MPI_OP, MPI_T_BIND_MPI_REQUEST, MPI_T_BIND_MPI_WIN, MPI_T_BIND_MPI_MESSAGE,
    MPI_T_BIND_MPI_INFO, MPIT_CORE_BIND_SESSION};
static const int mpit_core_scopes[] = {
    MPI_T_SCOPE_CONSTANT, MPI_T_SCOPE_READONLY, MPI_T_SCOPE_LOCAL, MPI_T_SCOPE_GROUP, MPI_T_SCOPE_GROUP_EQ,
    MPI_T_SCOPE_ALL, MPI_T_SCOPE_ALL_EQ};
static const int mpit_core_classes[] = {
    MPI_T_PVAR_CLASS_STATE, MPI_T_PVAR_CLASS_LEVEL, MPI_T_PVAR_CLASS_SIZE, MPI_T_PVAR_CLASS_PERCENTAGE,
    MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_T_PVAR_CLASS_LOWWATERMARK, MPI_T_PVAR_CLASS_COUNTER, MPI_T_PVAR_CLASS_AGGREGATE,
    MPI_T_PVAR_CLASS_TIMER, MPI_T_PVAR_CLASS_GENERIC};
static const MPI_T_cb_safety mpit_core_safeties[] = {MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                                     MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE};

/* Returns a number of mpi.h, or the first one: a later libmpit_core may have more. */
#define MPIT_CORE_AT(ALL, AT) (ALL)[(size_t)(AT) < sizeof(ALL) / sizeof *(ALL) ? (size_t)(AT) : 0]

/* Returns the position of a number, or -1. */
static int mpit_core_position(const int *all, int count, int number)
{
    int at = 0;
    while (at < count && all[at] != number)
        at++;
    return at < count ? at : -1;
}
#define MPIT_CORE_POSITION(ALL, NUMBER) mpit_core_position(ALL, (int)(sizeof ALL / sizeof *ALL), NUMBER)

static int mpit_core_safety(MPI_T_cb_safety safety)
{
    int at = 0;
    while (at < 4 && mpit_core_safeties[at] != safety)
        at++;
    return at < 4 ? at : -1;
}

/* Start and end. */

static void mpit_core_deliver(void *function, const struct mpit_core_delivery *d)
{
    MPI_T_event_cb_function *callback;
    *(void **)&callback = function;
    callback(MPIT_CORE_HANDLE(MPI_T_event_instance, d->event), MPIT_CORE_HANDLE(MPI_T_event_registration, d->registration),
             MPIT_CORE_AT(mpit_core_safeties, d->safety), d->user_data);
}

static void mpit_core_dropped(void *function, const struct mpit_core_drops *d)
{
    MPI_T_event_dropped_cb_function *callback;
    *(void **)&callback = function;
    callback((MPI_Count)d->count, MPIT_CORE_HANDLE(MPI_T_event_registration, d->registration), d->source,
             MPIT_CORE_AT(mpit_core_safeties, d->safety), d->user_data);
}

static void mpit_core_freed(void *function, const struct mpit_core_free *f)
{
    MPI_T_event_free_cb_function *callback;
    *(void **)&callback = function;
    callback(MPIT_CORE_HANDLE(MPI_T_event_registration, f->registration), MPIT_CORE_AT(mpit_core_safeties, f->safety), f->user_data);
}

MPIT_CORE_FUNCTION(finalize, (void))
{
    int code = mpit_own_finalize();
    MPIT_CORE_CALL(mpit_core_finalize());
    return code;
}

MPIT_CORE_FUNCTION(init_thread, (int required, int *provided))
{
    static const struct mpit_core_callbacks callbacks = {mpit_core_deliver, mpit_core_dropped, mpit_core_freed};
    int level = MPIT_CORE_POSITION(mpit_core_threads, required), code;
    MPIT_CORE_NOT_NULL(provided);
    if (level < 0)
        return MPI_T_ERR_INVALID;
    /* Ours may be called by several threads at any level, so the library's level holds. */
    MPIT_CORE_TRY(mpit_own_init_thread(required, provided));
    MPIT_CORE_CALL(mpit_core_set_callbacks(&callbacks));
    code = mpit_core_code(mpit_core_init(level, 0));
    if (code != MPI_SUCCESS)
        mpit_own_finalize();
    return code;
}

/* Merged lists. */

#define MPIT_CORE_GET_NUM(LIST, KIND)                                             \
    MPIT_CORE_FUNCTION(LIST##_get_num, (int *num))                                \
    {                                                                             \
        int own = 0;                                                              \
        MPIT_CORE_TRY(mpit_own_##LIST##_get_num(&own));                           \
        MPIT_CORE_NOT_NULL(num);                                                  \
        return mpit_core_code(mpit_core_count(KIND, own, num));                   \
    }
MPIT_CORE_GET_NUM(cvar, MPIT_CORE_CVARS)
MPIT_CORE_GET_NUM(pvar, MPIT_CORE_PVARS)
MPIT_CORE_GET_NUM(category, MPIT_CORE_CATEGORIES)
MPIT_CORE_GET_NUM(event, MPIT_CORE_EVENTS)
MPIT_CORE_GET_NUM(source, MPIT_CORE_SOURCES)

/* Finds the owner of a merged index, and the index in the owner's list. */
static int mpit_core_find(int kind, int merged, int *owner, int *index)
{
    int (*const get_num[])(int *) = {PMPI_T_cvar_get_num, PMPI_T_pvar_get_num, PMPI_T_category_get_num, PMPI_T_event_get_num,
                                     PMPI_T_source_get_num};
    int count;
    if (mpit_core_split(kind, merged, owner, index) == MPIT_CORE_SUCCESS)
        return MPI_SUCCESS;
    /* A list may have grown since. */
    MPIT_CORE_TRY(get_num[kind](&count));
    return mpit_core_code(mpit_core_split(kind, merged, owner, index));
}

/* Returns the merged index for the results of two searches by name. */
static int mpit_core_named(int kind, int own_code, int own, int code, const int *ours, int *index)
{
    if (own_code == MPI_SUCCESS)
        return mpit_core_code(mpit_core_merge(kind, MPIT_CORE_LIBRARY, own, index));
    if (code == MPIT_CORE_SUCCESS)
        return mpit_core_code(mpit_core_merge(kind, MPIT_CORE_MPIT, *ours, index));
    return own_code;
}

#define MPIT_CORE_GET_INDEX(LIST, KIND)                                                                  \
    MPIT_CORE_FUNCTION(LIST##_get_index, (const char *name, int *index))                                 \
    {                                                                                                    \
        int own = 0, ours = 0, code;                                                                     \
        MPIT_CORE_NOT_NULL(index);                                                                       \
        code = mpit_own_##LIST##_get_index(name, &own);                                                  \
        return mpit_core_named(KIND, code, own, mpit_core_##LIST##_index(name, &ours), &ours, index);     \
    }
MPIT_CORE_GET_INDEX(cvar, MPIT_CORE_CVARS)
MPIT_CORE_GET_INDEX(category, MPIT_CORE_CATEGORIES)
MPIT_CORE_GET_INDEX(event, MPIT_CORE_EVENTS)

MPIT_CORE_FUNCTION(pvar_get_index, (const char *name, int var_class, int *index))
{
    int own = 0, ours = 0, code, number = MPIT_CORE_POSITION(mpit_core_classes, var_class);
    MPIT_CORE_NOT_NULL(index);
    code = mpit_own_pvar_get_index(name, var_class, &own);
    return mpit_core_named(MPIT_CORE_PVARS, code, own, mpit_core_pvar_index(name, number, &ours), &ours, index);
}

/* Control variables. */

MPIT_CORE_FUNCTION(cvar_get_info, (int cvar_index, char *name, int *name_len, int *verbosity, MPI_Datatype *datatype,
                                   MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *scope))
{
    int owner, index;
    struct mpit_core_cvar info;
    MPIT_CORE_TRY(mpit_core_find(MPIT_CORE_CVARS, cvar_index, &owner, &index));
    if (owner == MPIT_CORE_LIBRARY)
        return mpit_own_cvar_get_info(index, name, name_len, verbosity, datatype, enumtype, desc, desc_len, bind, scope);
    MPIT_CORE_CALL(mpit_core_cvar_info(index, name, name_len, desc, desc_len, &info));
    MPIT_CORE_SET(verbosity, MPIT_CORE_AT(mpit_core_verbosities, info.verbosity));
    MPIT_CORE_SET(datatype, mpit_core_datatype(info.datatype));
    MPIT_CORE_SET(enumtype, MPIT_CORE_HANDLE(MPI_T_enum, info.enumeration));
    MPIT_CORE_SET(bind, MPIT_CORE_AT(mpit_core_binds, info.bind));
    MPIT_CORE_SET(scope, MPIT_CORE_AT(mpit_core_scopes, info.scope));
    return MPI_SUCCESS;
}

MPIT_CORE_FUNCTION(cvar_handle_alloc, (int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count))
{
    int owner, index;
    uint64_t id;
    struct mpit_core_cvar info;
    struct mpit_object object;
    MPIT_CORE_TRY(mpit_core_find(MPIT_CORE_CVARS, cvar_index, &owner, &index));
    if (owner == MPIT_CORE_LIBRARY)
        return mpit_own_cvar_handle_alloc(index, obj_handle, handle, count);
    MPIT_CORE_NOT_NULL(handle);
    MPIT_CORE_CALL(mpit_core_cvar_info(index, 0, 0, 0, 0, &info));
    MPIT_CORE_TRY(mpit_core_object_of(info.bind, obj_handle, &object));
    MPIT_CORE_CALL(mpit_core_cvar_handle_alloc(index, &object, &id, count));
    *handle = MPIT_CORE_HANDLE(MPI_T_cvar_handle, id);
    return MPI_SUCCESS;
}

MPIT_CORE_FUNCTION(cvar_handle_free, (MPI_T_cvar_handle *handle))
{
    if (!handle || !MPIT_CORE_IS_OWN(*handle))
        return mpit_own_cvar_handle_free(handle);
    MPIT_CORE_CALL(mpit_core_cvar_handle_free(MPIT_CORE_ID(*handle)));
    *handle = MPI_T_CVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}

MPIT_CORE_FUNCTION(cvar_read, (MPI_T_cvar_handle handle, void *buf))
{
    if (!MPIT_CORE_IS_OWN(handle))
        return mpit_own_cvar_read(handle, buf);
    return mpit_core_code(mpit_core_cvar_read(MPIT_CORE_ID(handle), buf));
}

MPIT_CORE_FUNCTION(cvar_write, (MPI_T_cvar_handle handle, const void *buf))
{
    if (!MPIT_CORE_IS_OWN(handle))
        return mpit_own_cvar_write(handle, buf);
    return mpit_core_code(mpit_core_cvar_write(MPIT_CORE_ID(handle), buf));
}

/* Performance variables. */

MPIT_CORE_FUNCTION(pvar_get_info, (int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
                                   MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind,
                                   int *readonly, int *continuous, int *atomic))
{
    int owner, index;
    struct mpit_core_pvar info;
    MPIT_CORE_TRY(mpit_core_find(MPIT_CORE_PVARS, pvar_index, &owner, &index));
    if (owner == MPIT_CORE_LIBRARY)
        return mpit_own_pvar_get_info(index, name, name_len, verbosity, var_class, datatype, enumtype, desc, desc_len, bind,
                                      readonly, continuous, atomic);
    MPIT_CORE_CALL(mpit_core_pvar_info(index, name, name_len, desc, desc_len, &info));
    MPIT_CORE_SET(verbosity, MPIT_CORE_AT(mpit_core_verbosities, info.verbosity));
    MPIT_CORE_SET(var_class, MPIT_CORE_AT(mpit_core_classes, info.pvar_class));
    MPIT_CORE_SET(datatype, mpit_core_datatype(info.datatype));
    MPIT_CORE_SET(enumtype, MPIT_CORE_HANDLE(MPI_T_enum, info.enumeration));
    MPIT_CORE_SET(bind, MPIT_CORE_AT(mpit_core_binds, info.bind));
    MPIT_CORE_SET(readonly, info.readonly);
    MPIT_CORE_SET(continuous, info.continuous);
    MPIT_CORE_SET(atomic, info.atomic);
    return MPI_SUCCESS;
}

MPIT_CORE_FUNCTION(pvar_session_free, (MPI_T_pvar_session *session))
{
    MPI_T_pvar_session own;
    void *library;
    MPIT_CORE_NOT_NULL(session);
    MPIT_CORE_CALL(mpit_core_session_free(MPIT_CORE_ID(*session), &library));
    own = (MPI_T_pvar_session)library;
    *session = MPI_T_PVAR_SESSION_NULL;
    return mpit_own_pvar_session_free(&own);
}

MPIT_CORE_FUNCTION(pvar_session_create, (MPI_T_pvar_session *session))
{
    MPI_T_pvar_session own;
    uint64_t id;
    int code;
    MPIT_CORE_NOT_NULL(session);
    MPIT_CORE_TRY(mpit_own_pvar_session_create(&own));
    code = mpit_core_code(mpit_core_session_create((void *)own, &id));
    if (code != MPI_SUCCESS)
        mpit_own_pvar_session_free(&own);
    else
        *session = MPIT_CORE_HANDLE(MPI_T_pvar_session, id);
    return code;
}

/* Returns the library's session in a session. */
static int mpit_core_library_session(MPI_T_pvar_session session, MPI_T_pvar_session *own)
{
    void *library;
    MPIT_CORE_CALL(mpit_core_session_of_library(MPIT_CORE_ID(session), &library));
    *own = (MPI_T_pvar_session)library;
    return MPI_SUCCESS;
}

MPIT_CORE_FUNCTION(pvar_handle_alloc, (MPI_T_pvar_session session, int pvar_index, void *obj_handle, MPI_T_pvar_handle *handle,
                                       int *count))
{
    MPI_T_pvar_session own;
    int owner, index, code;
    uint64_t id;
    struct mpit_core_pvar info;
    struct mpit_object object;
    MPIT_CORE_TRY(mpit_core_library_session(session, &own));
    MPIT_CORE_TRY(mpit_core_find(MPIT_CORE_PVARS, pvar_index, &owner, &index));
    if (owner == MPIT_CORE_LIBRARY)
        return mpit_own_pvar_handle_alloc(own, index, obj_handle, handle, count);
    MPIT_CORE_NOT_NULL(handle);
    MPIT_CORE_CALL(mpit_core_pvar_info(index, 0, 0, 0, 0, &info));
    MPIT_CORE_TRY(mpit_core_object_with_ranks(info.bind, obj_handle, &object));
    code = mpit_core_code(mpit_core_pvar_handle_alloc(MPIT_CORE_ID(session), index, &object, &id, count));
    free((void *)object.ranks);
    if (code == MPI_SUCCESS)
        *handle = MPIT_CORE_HANDLE(MPI_T_pvar_handle, id);
    return code;
}

MPIT_CORE_FUNCTION(pvar_handle_free, (MPI_T_pvar_session session, MPI_T_pvar_handle *handle))
{
    MPI_T_pvar_session own;
    if (handle && MPIT_CORE_IS_OWN(*handle) && *handle != MPI_T_PVAR_ALL_HANDLES) {
        MPIT_CORE_CALL(mpit_core_pvar_handle_free(MPIT_CORE_ID(session), MPIT_CORE_ID(*handle)));
        *handle = MPI_T_PVAR_HANDLE_NULL;
        return MPI_SUCCESS;
    }
    MPIT_CORE_TRY(mpit_core_library_session(session, &own));
    return mpit_own_pvar_handle_free(own, handle);
}

/* Calls a function for one handle, or for all handles of a session. */
static int mpit_core_apply(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int (*call)(uint64_t, uint64_t),
                           int (*own_call)(MPI_T_pvar_session, MPI_T_pvar_handle))
{
    MPI_T_pvar_session own;
    int code, all = handle == MPI_T_PVAR_ALL_HANDLES;
    if (!all && MPIT_CORE_IS_OWN(handle))
        return mpit_core_code(call(MPIT_CORE_ID(session), MPIT_CORE_ID(handle)));
    MPIT_CORE_TRY(mpit_core_library_session(session, &own));
    code = own_call(own, handle);
    if (all) {
        int ours = mpit_core_code(call(MPIT_CORE_ID(session), MPIT_CORE_ALL_HANDLES));
        code = code == MPI_SUCCESS ? ours : code;
    }
    return code;
}

#define MPIT_CORE_APPLY(NAME)                                                                   \
    MPIT_CORE_FUNCTION(pvar_##NAME, (MPI_T_pvar_session session, MPI_T_pvar_handle handle))     \
    {                                                                                           \
        return mpit_core_apply(session, handle, mpit_core_pvar_##NAME, mpit_own_pvar_##NAME);   \
    }
MPIT_CORE_APPLY(start)
MPIT_CORE_APPLY(stop)
MPIT_CORE_APPLY(reset)

#define MPIT_CORE_ACCESS(NAME, BUFFER)                                                                          \
    MPIT_CORE_FUNCTION(pvar_##NAME, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, BUFFER buf))         \
    {                                                                                                           \
        MPI_T_pvar_session own;                                                                                 \
        if (MPIT_CORE_IS_OWN(handle))                                                                           \
            return mpit_core_code(mpit_core_pvar_##NAME(MPIT_CORE_ID(session), MPIT_CORE_ID(handle), buf));     \
        MPIT_CORE_TRY(mpit_core_library_session(session, &own));                                                \
        return mpit_own_pvar_##NAME(own, handle, buf);                                                          \
    }
MPIT_CORE_ACCESS(read, void *)
MPIT_CORE_ACCESS(write, const void *)
MPIT_CORE_ACCESS(readreset, void *)

#include "mpit_core_queries.h"

#endif
