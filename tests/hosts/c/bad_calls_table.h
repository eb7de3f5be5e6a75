/* The 51 functions of the tools interface that bad_calls.c calls, with the kinds of their arguments and their codes. */
#ifndef BAD_CALLS_TABLE_H
#define BAD_CALLS_TABLE_H

#include <mpi.h>
#include <stdint.h>

/* Libraries without events lack these; the values are those of the vendors' later versions. */
#ifndef MPI_ABI /* In those libraries they are not macros. */
#ifndef MPI_T_ERR_NOT_ACCESSIBLE
#ifdef OPEN_MPI
#define MPI_T_ERR_NOT_ACCESSIBLE 81
#else
#define MPI_T_ERR_NOT_ACCESSIBLE 79
#endif
#endif
#ifndef MPI_T_ERR_NOT_SUPPORTED
#define MPI_T_ERR_NOT_SUPPORTED 82
#endif
#endif
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 6
enum { NONE_SAFE = 0, RESTRICTED = 1, THREAD_SAFE = 2, SIGNAL_SAFE = 3 };
#else
enum {
    NONE_SAFE = MPI_T_CB_REQUIRE_NONE,
    RESTRICTED = MPI_T_CB_REQUIRE_MPI_RESTRICTED,
    THREAD_SAFE = MPI_T_CB_REQUIRE_THREAD_SAFE,
    SIGNAL_SAFE = MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE
};
#endif

/* Sets of codes. */
enum {
    OK = 1 << 0,
    INVALID = 1 << 1,
    NOT_INITIALIZED = 1 << 2,
    NOT_ACCESSIBLE = 1 << 3,
    NOT_SUPPORTED = 1 << 4,
    INVALID_INDEX = 1 << 5,
    INVALID_NAME = 1 << 6,
    INVALID_HANDLE = 1 << 7,
    INVALID_SESSION = 1 << 8,
    SET_NOT_NOW = 1 << 9,
    SET_NEVER = 1 << 10,
    NO_STARTSTOP = 1 << 11,
    NO_WRITE = 1 << 12,
    NO_ATOMIC = 1 << 13,
    OTHER = 1 << 14,
    /* The codes that a host may return for a valid call on one of its variables. R2, R11: never another code. */
    ANY = ~NOT_INITIALIZED
};

static const struct {
    const char *name;
    int set, number;
} codes[] = {
    {"SUCCESS", OK, MPI_SUCCESS},
    {"INVALID", INVALID, MPI_T_ERR_INVALID},
    {"NOT_INITIALIZED", NOT_INITIALIZED, MPI_T_ERR_NOT_INITIALIZED},
    {"NOT_ACCESSIBLE", NOT_ACCESSIBLE, MPI_T_ERR_NOT_ACCESSIBLE},
    {"NOT_SUPPORTED", NOT_SUPPORTED, MPI_T_ERR_NOT_SUPPORTED},
    {"INVALID_INDEX", INVALID_INDEX, MPI_T_ERR_INVALID_INDEX},
    {"INVALID_NAME", INVALID_NAME, MPI_T_ERR_INVALID_NAME},
    {"INVALID_HANDLE", INVALID_HANDLE, MPI_T_ERR_INVALID_HANDLE},
    {"INVALID_SESSION", INVALID_SESSION, MPI_T_ERR_INVALID_SESSION},
    {"CVAR_SET_NOT_NOW", SET_NOT_NOW, MPI_T_ERR_CVAR_SET_NOT_NOW},
    {"CVAR_SET_NEVER", SET_NEVER, MPI_T_ERR_CVAR_SET_NEVER},
    {"PVAR_NO_STARTSTOP", NO_STARTSTOP, MPI_T_ERR_PVAR_NO_STARTSTOP},
    {"PVAR_NO_WRITE", NO_WRITE, MPI_T_ERR_PVAR_NO_WRITE},
    {"PVAR_NO_ATOMIC", NO_ATOMIC, MPI_T_ERR_PVAR_NO_ATOMIC},
    {"OUT_OF_HANDLES", OTHER, MPI_T_ERR_OUT_OF_HANDLES},
    {"OUT_OF_SESSIONS", OTHER, MPI_T_ERR_OUT_OF_SESSIONS},
    {"MEMORY", OTHER, MPI_T_ERR_MEMORY},
};

enum { CODES = sizeof codes / sizeof *codes, ARGUMENTS = 13 };

/* The kind of an argument. `_at`: an address that is read; `new_` and `out_`: an address that is written and must
 * not be null; `may_`: an address that is written unless null. */
enum kind {
    nothing,
    an_index, an_item, an_element, required, a_class, a_level, level_in_use,
    a_session, a_pvar, a_cvar, an_enum, a_registration, ended_registration, an_instance,
    session_at, pvar_at, cvar_at,
    new_session, new_pvar, new_cvar, new_registration, out_int, out_long, out_info, may_int, may_long, may_info,
    name_text, name_length, desc_text, desc_length, types, displacements, elements,
    a_name, an_object, an_info, out_value, in_value, a_length, a_list, callback, data
};

/* The kind of objects for which a function is called. */
enum about { ANYTHING, ENUMS, CVARS, PVARS, SOURCES, EVENTS, INSTANCES, CATEGORIES };

struct function {
    const char *name;
    enum about about;
    enum kind kinds[ARGUMENTS];
    void *address;
};

static struct function functions[] = {
    {"init_thread", ANYTHING, {required, out_int}, 0},
    {"finalize", ANYTHING, {nothing}, 0},
    {"enum_get_info", ENUMS, {an_enum, may_int, name_text, name_length}, 0},
    /* The name of the first item takes the place of a description. */
    {"enum_get_item", ENUMS, {an_enum, an_item, may_int, desc_text, desc_length}, 0},
    {"cvar_get_num", CVARS, {out_int}, 0},
    {"cvar_get_info", CVARS, {an_index, name_text, name_length, may_int, may_long, may_long, desc_text, desc_length,
                              may_int, may_int}, 0},
    {"cvar_get_index", CVARS, {a_name, out_int}, 0},
    {"cvar_handle_alloc", CVARS, {an_index, an_object, new_cvar, out_int}, 0},
    {"cvar_handle_free", CVARS, {cvar_at}, 0},
    {"cvar_read", CVARS, {a_cvar, out_value}, 0},
    {"cvar_write", CVARS, {a_cvar, in_value}, 0},
    {"pvar_get_num", PVARS, {out_int}, 0},
    {"pvar_get_info", PVARS, {an_index, name_text, name_length, may_int, may_int, may_long, may_long, desc_text,
                              desc_length, may_int, may_int, may_int, may_int}, 0},
    {"pvar_get_index", PVARS, {a_name, a_class, out_int}, 0},
    {"pvar_session_create", ANYTHING, {new_session}, 0},
    {"pvar_session_free", PVARS, {session_at}, 0},
    {"pvar_handle_alloc", PVARS, {a_session, an_index, an_object, new_pvar, out_int}, 0},
    {"pvar_handle_free", PVARS, {a_session, pvar_at}, 0},
    {"pvar_start", PVARS, {a_session, a_pvar}, 0},
    {"pvar_stop", PVARS, {a_session, a_pvar}, 0},
    {"pvar_read", PVARS, {a_session, a_pvar, out_value}, 0},
    {"pvar_write", PVARS, {a_session, a_pvar, in_value}, 0},
    {"pvar_reset", PVARS, {a_session, a_pvar}, 0},
    {"pvar_readreset", PVARS, {a_session, a_pvar, out_value}, 0},
    {"source_get_num", SOURCES, {out_int}, 0},
    {"source_get_info", SOURCES, {an_index, name_text, name_length, desc_text, desc_length, may_int, may_long, may_long,
                                  may_info}, 0},
    {"source_get_timestamp", SOURCES, {an_index, out_long}, 0},
    {"event_get_num", EVENTS, {out_int}, 0},
    {"event_get_info", EVENTS, {an_index, name_text, name_length, may_int, types, displacements, elements, may_long,
                                may_info, desc_text, desc_length, may_int}, 0},
    {"event_get_index", EVENTS, {a_name, out_int}, 0},
    {"event_handle_alloc", EVENTS, {an_index, an_object, an_info, new_registration}, 0},
    {"event_handle_set_info", EVENTS, {a_registration, an_info}, 0},
    {"event_handle_get_info", EVENTS, {a_registration, out_info}, 0},
    {"event_register_callback", EVENTS, {a_registration, a_level, an_info, data, callback}, 0},
    {"event_callback_set_info", EVENTS, {a_registration, level_in_use, an_info}, 0},
    {"event_callback_get_info", EVENTS, {a_registration, level_in_use, out_info}, 0},
    {"event_handle_free", EVENTS, {ended_registration, data, callback}, 0},
    {"event_set_dropped_handler", EVENTS, {a_registration, callback}, 0},
    {"event_read", INSTANCES, {an_instance, an_element, out_value}, 0},
    {"event_copy", INSTANCES, {an_instance, out_value}, 0},
    {"event_get_timestamp", INSTANCES, {an_instance, out_long}, 0},
    {"event_get_source", INSTANCES, {an_instance, out_int}, 0},
    {"category_get_num", CATEGORIES, {out_int}, 0},
    {"category_get_info", CATEGORIES, {an_index, name_text, name_length, desc_text, desc_length, may_int, may_int,
                                       may_int}, 0},
    {"category_get_num_events", CATEGORIES, {an_index, out_int}, 0},
    {"category_get_index", CATEGORIES, {a_name, out_int}, 0},
    {"category_get_cvars", CATEGORIES, {an_index, a_length, a_list}, 0},
    {"category_get_pvars", CATEGORIES, {an_index, a_length, a_list}, 0},
    {"category_get_events", CATEGORIES, {an_index, a_length, a_list}, 0},
    {"category_get_categories", CATEGORIES, {an_index, a_length, a_list}, 0},
    {"category_changed", CATEGORIES, {out_int}, 0},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };
_Static_assert(FUNCTIONS == 51, "the functions of the tools interface");

/* An argument as it is passed: pointers, integers and handles use the same registers and stack slots. */
typedef uint64_t word;

/* Callers pop arguments on all supported machines, so a function ignores additional arguments. */
typedef int any_function(word, word, word, word, word, word, word, word, word, word, word, word, word);

static int call(void *function, const word a[ARGUMENTS])
{
    return ((any_function *)function)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12]);
}

#endif
