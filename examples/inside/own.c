/* The functions of MPI_T of the small MPI library itself: two control variables, a counter before MPI_Init and two more after it, and a
 * category. It has no events. Their names are mpit_own_*. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include <mpit_core_own.h>

#include "mpi.h"

#include <stdlib.h>
#include <string.h>

#include "library.h"

static int references;
static int settings[2] = {3, 4};
static const char *const cvars[] = {"own_setting", "own_limit"};
static const char *const pvars[] = {"own_early", "own_calls", "own_late"};
struct own_cvar_handle {
    int index;
};
struct own_pvar_handle {
    int index, start;
    struct own_session *session;
};
struct own_session {
    int handles;
};

static int number_of_pvars(void)
{
    return is_initialized ? 3 : 1;
}

static int text(const char *from, char *to, int *len)
{
    if (len && to && *len > 0) {
        strncpy(to, from, (size_t)*len - 1);
        to[*len - 1] = 0;
    }
    if (len)
        *len = (int)strlen(from) + 1;
    return MPI_SUCCESS;
}

#define CHECK(CONDITION, CODE) \
    do {                       \
        if (!references)       \
            return MPI_T_ERR_NOT_INITIALIZED; \
        if (!(CONDITION))      \
            return CODE;       \
    } while (0)
#define SET(POINTER, VALUE) ((void)((POINTER) && (*(POINTER) = (VALUE), 0)))

int PMPI_T_init_thread(int required, int *provided)
{
    (void)required;
    references++;
    *provided = MPI_THREAD_FUNNELED;
    return MPI_SUCCESS;
}

int PMPI_T_finalize(void)
{
    CHECK(1, 0);
    references--;
    return MPI_SUCCESS;
}

static int find(const char *const *names, int count, const char *name, int *index)
{
    CHECK(name && index, MPI_T_ERR_INVALID);
    for (*index = 0; *index < count; ++*index)
        if (!strcmp(names[*index], name))
            return MPI_SUCCESS;
    return MPI_T_ERR_INVALID_NAME;
}

static int number(int count, int *num)
{
    CHECK(num, MPI_T_ERR_INVALID);
    *num = count;
    return MPI_SUCCESS;
}

int PMPI_T_cvar_get_num(int *num) { return number(2, num); }
int PMPI_T_pvar_get_num(int *num) { return number(number_of_pvars(), num); }
int PMPI_T_category_get_num(int *num) { return number(1, num); }
int PMPI_T_event_get_num(int *num) { return number(0, num); }
int PMPI_T_source_get_num(int *num) { return number(0, num); }
int PMPI_T_cvar_get_index(const char *name, int *index) { return find(cvars, 2, name, index); }
int PMPI_T_category_get_index(const char *name, int *index) { return find(&(const char *){"own"}, 1, name, index); }
int PMPI_T_event_get_index(const char *name, int *index) { return find(0, 0, name, index); }

int PMPI_T_pvar_get_index(const char *name, int var_class, int *index)
{
    CHECK(var_class == MPI_T_PVAR_CLASS_COUNTER, MPI_T_ERR_INVALID_NAME);
    return find(pvars, number_of_pvars(), name, index);
}

int PMPI_T_cvar_get_info(int index, char *name, int *name_len, int *verbosity, MPI_Datatype *datatype, MPI_T_enum *enumtype,
                         char *desc, int *desc_len, int *bind, int *scope)
{
    CHECK(index >= 0 && index < 2, MPI_T_ERR_INVALID_INDEX);
    SET(verbosity, MPI_T_VERBOSITY_USER_BASIC);
    SET(datatype, MPI_INT);
    SET(enumtype, MPI_T_ENUM_NULL);
    SET(bind, MPI_T_BIND_NO_OBJECT);
    SET(scope, MPI_T_SCOPE_LOCAL);
    text("A setting of the library.", desc, desc_len);
    return text(cvars[index], name, name_len);
}

int PMPI_T_cvar_handle_alloc(int index, void *object, MPI_T_cvar_handle *handle, int *count)
{
    (void)object;
    CHECK(index >= 0 && index < 2, MPI_T_ERR_INVALID_INDEX);
    *handle = malloc(sizeof **handle);
    (*handle)->index = index;
    return number(1, count);
}

int PMPI_T_cvar_handle_free(MPI_T_cvar_handle *handle)
{
    CHECK(handle && *handle, MPI_T_ERR_INVALID_HANDLE);
    free(*handle);
    *handle = MPI_T_CVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}

int PMPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf)
{
    CHECK(handle && buf, MPI_T_ERR_INVALID);
    *(int *)buf = settings[handle->index];
    return MPI_SUCCESS;
}

int PMPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buf)
{
    CHECK(handle && buf, MPI_T_ERR_INVALID);
    settings[handle->index] = *(const int *)buf;
    return MPI_SUCCESS;
}

int PMPI_T_pvar_get_info(int index, char *name, int *name_len, int *verbosity, int *var_class, MPI_Datatype *datatype,
                         MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *readonly, int *continuous, int *atomic)
{
    CHECK(index >= 0 && index < number_of_pvars(), MPI_T_ERR_INVALID_INDEX);
    SET(verbosity, MPI_T_VERBOSITY_USER_BASIC);
    SET(var_class, MPI_T_PVAR_CLASS_COUNTER);
    SET(datatype, MPI_INT);
    SET(enumtype, MPI_T_ENUM_NULL);
    SET(bind, MPI_T_BIND_NO_OBJECT);
    SET(readonly, 0);
    SET(continuous, 0);
    SET(atomic, 0);
    text("A counter of the library.", desc, desc_len);
    return text(pvars[index], name, name_len);
}

int PMPI_T_pvar_session_create(MPI_T_pvar_session *session)
{
    CHECK(session, MPI_T_ERR_INVALID);
    *session = calloc(1, sizeof **session);
    return MPI_SUCCESS;
}

int PMPI_T_pvar_session_free(MPI_T_pvar_session *session)
{
    CHECK(session && *session, MPI_T_ERR_INVALID_SESSION);
    free(*session);
    *session = MPI_T_PVAR_SESSION_NULL;
    return MPI_SUCCESS;
}

int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int index, void *object, MPI_T_pvar_handle *handle, int *count)
{
    (void)object;
    CHECK(index >= 0 && index < number_of_pvars(), MPI_T_ERR_INVALID_INDEX);
    *handle = calloc(1, sizeof **handle);
    (*handle)->index = index;
    (*handle)->session = session;
    session->handles++;
    return number(1, count);
}

int PMPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
    CHECK(handle && *handle && (*handle)->session == session, MPI_T_ERR_INVALID_HANDLE);
    session->handles--;
    free(*handle);
    *handle = MPI_T_PVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}

/* Starting all handles of a session is checked where they are: the session has some. */
int PMPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    CHECK(handle == MPI_T_PVAR_ALL_HANDLES || handle->session == session, MPI_T_ERR_INVALID_HANDLE);
    started += handle == MPI_T_PVAR_ALL_HANDLES ? session->handles : 1;
    return MPI_SUCCESS;
}

int PMPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    CHECK(handle == MPI_T_PVAR_ALL_HANDLES || handle->session == session, MPI_T_ERR_INVALID_HANDLE);
    return MPI_SUCCESS;
}

int PMPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return PMPI_T_pvar_stop(session, handle);
}

int PMPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    CHECK(handle && handle->session == session, MPI_T_ERR_INVALID_HANDLE);
    *(int *)buf = 100 + handle->index;
    return MPI_SUCCESS;
}

int PMPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf)
{
    (void)session, (void)handle, (void)buf;
    return MPI_T_ERR_PVAR_NO_WRITE;
}

int PMPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    (void)session, (void)handle, (void)buf;
    return MPI_T_ERR_PVAR_NO_ATOMIC;
}

int PMPI_T_category_get_info(int index, char *name, int *name_len, char *desc, int *desc_len, int *num_cvars, int *num_pvars,
                             int *num_categories)
{
    CHECK(index == 0, MPI_T_ERR_INVALID_INDEX);
    SET(num_cvars, 2);
    SET(num_pvars, number_of_pvars());
    SET(num_categories, 0);
    text("All of the library's own.", desc, desc_len);
    return text("own", name, name_len);
}

static int members(int category, int count, int len, int *indices)
{
    CHECK(category == 0, MPI_T_ERR_INVALID_INDEX);
    for (int at = 0; at < len && at < count; at++)
        indices[at] = at;
    return MPI_SUCCESS;
}

int PMPI_T_category_get_num_events(int index, int *num) { (void)index; return number(0, num); }
int PMPI_T_category_get_cvars(int index, int len, int *indices) { return members(index, 2, len, indices); }
int PMPI_T_category_get_pvars(int index, int len, int *indices) { return members(index, number_of_pvars(), len, indices); }
int PMPI_T_category_get_events(int index, int len, int *indices) { return members(index, 0, len, indices); }
int PMPI_T_category_get_categories(int index, int len, int *indices) { return members(index, 0, len, indices); }
int PMPI_T_category_changed(int *number_of_changes) { return number(number_of_pvars(), number_of_changes); }

/* Functions without entries in this library. */
#define NONE(NAME, CODE, ...) int PMPI_T_##NAME(__VA_ARGS__) { return CODE; }
NONE(enum_get_info, MPI_T_ERR_INVALID_HANDLE, MPI_T_enum a, int *b, char *c, int *d)
NONE(enum_get_item, MPI_T_ERR_INVALID_HANDLE, MPI_T_enum a, int b, int *c, char *d, int *e)
NONE(source_get_info, MPI_T_ERR_INVALID_INDEX, int a, char *b, int *c, char *d, int *e, MPI_T_source_order *f, MPI_Count *g,
     MPI_Count *h, MPI_Info *i)
NONE(source_get_timestamp, MPI_T_ERR_INVALID_INDEX, int a, MPI_Count *b)
NONE(event_get_info, MPI_T_ERR_INVALID_INDEX, int a, char *b, int *c, int *d, MPI_Datatype e[], MPI_Aint f[], int *g,
     MPI_T_enum *h, MPI_Info *i, char *j, int *k, int *l)
NONE(event_handle_alloc, MPI_T_ERR_INVALID_INDEX, int a, void *b, MPI_Info c, MPI_T_event_registration *d)
NONE(event_handle_set_info, MPI_T_ERR_INVALID_HANDLE, MPI_T_event_registration a, MPI_Info b)
NONE(event_handle_get_info, MPI_T_ERR_INVALID_HANDLE, MPI_T_event_registration a, MPI_Info *b)
NONE(event_register_callback, MPI_T_ERR_INVALID_HANDLE, MPI_T_event_registration a, MPI_T_cb_safety b, MPI_Info c, void *d,
     MPI_T_event_cb_function e)
NONE(event_callback_set_info, MPI_T_ERR_INVALID_HANDLE, MPI_T_event_registration a, MPI_T_cb_safety b, MPI_Info c)
NONE(event_callback_get_info, MPI_T_ERR_INVALID_HANDLE, MPI_T_event_registration a, MPI_T_cb_safety b, MPI_Info *c)
NONE(event_handle_free, MPI_T_ERR_INVALID_HANDLE, MPI_T_event_registration a, void *b, MPI_T_event_free_cb_function c)
NONE(event_set_dropped_handler, MPI_T_ERR_INVALID_HANDLE, MPI_T_event_registration a, MPI_T_event_dropped_cb_function b)
NONE(event_read, MPI_T_ERR_INVALID_HANDLE, MPI_T_event_instance a, int b, void *c)
NONE(event_copy, MPI_T_ERR_INVALID_HANDLE, MPI_T_event_instance a, void *b)
NONE(event_get_timestamp, MPI_T_ERR_INVALID_HANDLE, MPI_T_event_instance a, MPI_Count *b)
NONE(event_get_source, MPI_T_ERR_INVALID_HANDLE, MPI_T_event_instance a, int *b)
