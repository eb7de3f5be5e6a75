/* Handles and registrations for objects that do not exist: each call must return MPI_T_ERR_INVALID_HANDLE, and no error handler
 * may run. */
#ifndef INVALID_OBJECTS_H
#define INVALID_OBJECTS_H

#include "checks.h"

#include <stdint.h>

/* The value of an MPI handle, for a binding to a kind of object. */
struct object {
    int bind;
    union {
        uint64_t word;
        unsigned char bytes[8];
    } handle;
};

static int handler_calls;
static MPI_Errhandler counting;

static void count_call(MPI_Comm *comm, int *code, ...)
{
    handler_calls++;
}

static void begin_refusals(void)
{
    MPI_Comm_create_errhandler(count_call, &counting);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, counting);
}

/* No error handler ran, and those of the program are still set. */
static void end_refusals(void)
{
    const MPI_Comm comms[2] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    check(handler_calls == 0, "no error handler runs");
    for (int comm = 0; comm < 2; comm++) {
        MPI_Errhandler present;
        MPI_Comm_get_errhandler(comms[comm], &present);
        check(present == counting, "the error handler of the program");
        MPI_Errhandler_free(&present);
        MPI_Comm_set_errhandler(comms[comm], MPI_ERRORS_ARE_FATAL);
    }
    MPI_Errhandler_free(&counting);
}

/* Handles of files are pointers in every library. */
static size_t width_of(int bind)
{
    return bind == MPI_T_BIND_MPI_FILE ? sizeof(MPI_File) : sizeof(MPI_Comm);
}

static struct object object_at(const void *variable, int bind)
{
    struct object object = {bind, {0}};
    memcpy(object.handle.bytes, variable, width_of(bind));
    return object;
}

/* The kinds whose freed objects are recognized: by the library's own record of the object where handles are pointers, otherwise those
 * that mpit follows. */
static int knows_freed(int bind)
{
#ifdef OPEN_MPI
    return bind != MPI_T_BIND_MPI_REQUEST && bind != MPI_T_BIND_MPI_MESSAGE;
#elif defined MPI_ABI_VERSION
    return bind != MPI_T_BIND_MPI_INFO;
#else
    return bind == MPI_T_BIND_MPI_COMM || bind == MPI_T_BIND_MPI_WIN || bind == MPI_T_BIND_MPI_FILE;
#endif
}

/* MPICH's messages are requests. */
static int is_another_kind(int bind, int other)
{
    const int is_request = bind == MPI_T_BIND_MPI_REQUEST || bind == MPI_T_BIND_MPI_MESSAGE;
    const int other_is_request = other == MPI_T_BIND_MPI_REQUEST || other == MPI_T_BIND_MPI_MESSAGE;
    return bind != other && width_of(bind) == width_of(other) && !(is_request && other_is_request);
}

/* Binds a control variable, and the performance variables and events of this kind of object. */
static void refuses(struct object *object, const char *cvar, const char *what)
{
    static const struct {
        const char *name;
        int bind, class;
    } pvars[] = {{"pml_monitoring_messages_count", MPI_T_BIND_MPI_COMM, MPI_T_PVAR_CLASS_SIZE},
                 {"pml_ob1_unexpected_msgq_length", MPI_T_BIND_MPI_COMM, MPI_T_PVAR_CLASS_LEVEL},
                 {"osc_monitoring_window_messages_sent_total", MPI_T_BIND_MPI_WIN, MPI_T_PVAR_CLASS_COUNTER}};
    char text[128];
    int index = -1, count;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    snprintf(text, sizeof text, "%s, %s, %#llx", cvar, what, (unsigned long long)object->handle.word);
    check(MPI_T_cvar_get_index(cvar, &index) == MPI_SUCCESS, cvar);
    check(MPI_T_cvar_handle_alloc(index, &object->handle, &handle, &count) == MPI_T_ERR_INVALID_HANDLE, text);
    check(handle == MPI_T_CVAR_HANDLE_NULL, text);
    for (size_t pvar = 0; pvar < sizeof pvars / sizeof *pvars; pvar++) {
        MPI_T_pvar_handle bound;
        if (pvars[pvar].bind != object->bind || MPI_T_pvar_get_index(pvars[pvar].name, pvars[pvar].class, &index))
            continue;
        check(MPI_T_pvar_handle_alloc(session, index, &object->handle, &bound, &count) == MPI_T_ERR_INVALID_HANDLE, text);
    }
    if (object->bind == MPI_T_BIND_MPI_WIN) {
        MPI_T_event_registration registration;
        check(MPI_T_event_handle_alloc(event_named("osc_accessed"), &object->handle, MPI_INFO_NULL, &registration)
                  == MPI_T_ERR_INVALID_HANDLE,
              text);
    }
}

/* A variable of Open MPI reads its communicator. */
static void of_host_until_freed(void)
{
    unsigned value[64];
    int index, count;
    MPI_Comm comm;
    MPI_T_pvar_handle handle;
    if (MPI_T_pvar_get_index("pml_ob1_unexpected_msgq_length", MPI_T_PVAR_CLASS_LEVEL, &index))
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check(MPI_T_pvar_handle_alloc(session, index, &comm, &handle, &count) == MPI_SUCCESS, "a handle of the library's");
    check(MPI_T_pvar_read(session, handle, value) == MPI_SUCCESS, "a read of the library's");
    MPI_Comm_free(&comm);
    /* Proves R92: for handles of the library, too. */
    check(MPI_T_pvar_read(session, handle, value) == MPI_T_ERR_INVALID_HANDLE, "no read when the communicator is freed");
    check(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS, "all others can be stopped");
    check(MPI_T_pvar_handle_free(session, &handle) == MPI_SUCCESS, "the handle of the library's can be freed");
}

static void refuses_values(const char *cvar, int bind)
{
    static uint64_t zeros[512], fives[512];
    memset(fives, 0x55, sizeof fives);
    /* The last ones are like those of MPICH's communicators and windows, with places that are not in use. */
    const uint64_t values[] = {
        0, 1, 2, 7, 4095, UINT64_MAX, 0x12345678, 0xdead0000beef, (uintptr_t)zeros, (uintptr_t)fives, (uintptr_t)fives + 1,
        (uintptr_t)(void *)&refuses_values, 0x44000005, 0x84ffffff, 0xc4000123, 0xa0000007, 0xe0000123,
    };
    for (size_t value = 0; value < sizeof values / sizeof *values; value++) {
        /* The lower half of an address may be MPICH's number of an object, unless its upper bits are 0. */
        const int is_narrow = width_of(bind) == 4 && values[value] >> 32;
        struct object object = {bind, {is_narrow ? values[value] & 0x3fffffff : values[value]}};
        refuses(&object, cvar, "no object");
    }
}

#endif
