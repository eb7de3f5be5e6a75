/* A library to preload that adds one performance variable to those of the MPI library with the least work: the floor of calls for
 * tools through a layer.
 *
 * As such a layer must, it has handles of its own, with generations, so that one that was freed is an error; it marks calls of the MPI
 * library that use a handle, so that another thread could wait before it frees it; and it looks names up in one table. It registers
 * nothing later, and knows no other kinds of variables, so no tool can use it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HANDLES = 64, NAME = 256, TABLE_BITS = 16, BINS = 16 };

#define OWN "pml_monitoring_messages_total"

/* Computes the value of a variable: those of different kinds have functions of their own. */
typedef uint64_t value(const _Atomic uint64_t *bins);

struct handle {
    uintptr_t id;
    MPI_T_pvar_session session;
    /* Of the MPI library; null for the variable of this one. */
    MPI_T_pvar_handle pvar;
    MPI_T_cvar_handle cvar;
    value *value;
    const _Atomic uint64_t *bins;
    /* Odd while the base changes. */
    _Atomic uint32_t version;
    _Atomic uint32_t in_progress;
    _Atomic uint64_t base;
    int next_free;
};

/* The number of a slot is in the low bits of the identifier of its handle, above them the generation. Slot 0 is unused. */
static struct handle handles[HANDLES];
static int first_free = 1;
static atomic_flag is_changing = ATOMIC_FLAG_INIT;
/* The messages by size. A total besides would be one more addition for each message. */
static _Atomic uint64_t messages[BINS];
static _Atomic uint32_t is_initialized;

enum { PVAR, CVAR };

/* A name in the table, with the kind and class of its variable. */
struct entry {
    uint32_t length;
    int kind, class, index;
    char name[NAME];
};

static struct entry *table;
static int own_index;

#define NEXT(name) ((__typeof__(&name))next(#name))

static uintptr_t next(const char *name)
{
    return (uintptr_t)dlsym(RTLD_NEXT, name);
}

static __typeof__(&MPI_T_pvar_read) next_pvar_read;
static __typeof__(&MPI_T_cvar_read) next_cvar_read;
static __typeof__(&MPI_T_pvar_handle_alloc) next_pvar_handle_alloc;
static __typeof__(&MPI_T_pvar_handle_free) next_pvar_handle_free;
static __typeof__(&MPI_T_pvar_get_index) next_pvar_get_index;
static __typeof__(&MPI_T_cvar_get_index) next_cvar_get_index;

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

static uint64_t word_at(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return word;
}

/* The place in the table of a name of at least eight bytes, which all that are looked up have. */
static struct entry *place_of(const char *name, size_t length, int kind)
{
    uint64_t hash = mixed(length, (uint64_t)kind);
    for (size_t at = 0; at + 8 < length; at += 8)
        hash = mixed(hash, word_at(name + at));
    return &table[mixed(hash, word_at(name + length - 8)) >> (64 - TABLE_BITS)];
}

/* The entry of a name, or the empty one where it would be. */
static inline struct entry *find(const char *name, int kind, int class)
{
    const size_t length = strlen(name);
    struct entry *entry = place_of(name, length < 8 ? 8 : length, kind);
    while (entry->length
           && !(entry->length == length && entry->kind == kind && entry->class == class
                && memcmp(entry->name, name, length) == 0))
        entry = entry == &table[(1 << TABLE_BITS) - 1] ? table : entry + 1;
    return entry;
}

static void insert(const char *name, int kind, int class, int index)
{
    const size_t length = strlen(name);
    if (length < 8)
        return;
    struct entry *entry = find(name, kind, class);
    *entry = (struct entry){(uint32_t)length, kind, class, index, ""};
    memcpy(entry->name, name, length + 1);
}

static void fill_table(void)
{
    int count = 0, level, bind, scope, class, readonly, continuous, atomic;
    char name[NAME];
    table = calloc(1 << TABLE_BITS, sizeof *table);
    if (!table)
        abort();
    NEXT(MPI_T_cvar_get_num)(&count);
    for (int index = 0; index < count; index++) {
        int length = NAME;
        MPI_Datatype type;
        if (NEXT(MPI_T_cvar_get_info)(index, name, &length, &level, &type, NULL, NULL, NULL, &bind, &scope) == MPI_SUCCESS)
            insert(name, CVAR, 0, index);
    }
    NEXT(MPI_T_pvar_get_num)(&own_index);
    for (int index = 0; index < own_index; index++) {
        int length = NAME;
        MPI_Datatype type;
        if (NEXT(MPI_T_pvar_get_info)(index, name, &length, &level, &class, &type, NULL, NULL, NULL, &bind, &readonly,
                                      &continuous, &atomic)
            == MPI_SUCCESS)
            insert(name, PVAR, class, index);
    }
    insert(OWN, PVAR, MPI_T_PVAR_CLASS_COUNTER, own_index);
}

int MPI_T_init_thread(int required, int *provided)
{
    const int code = NEXT(MPI_T_init_thread)(required, provided);
    next_pvar_read = NEXT(MPI_T_pvar_read);
    next_cvar_read = NEXT(MPI_T_cvar_read);
    next_pvar_handle_alloc = NEXT(MPI_T_pvar_handle_alloc);
    next_pvar_handle_free = NEXT(MPI_T_pvar_handle_free);
    next_pvar_get_index = NEXT(MPI_T_pvar_get_index);
    next_cvar_get_index = NEXT(MPI_T_cvar_get_index);
    for (int slot = 1; slot < HANDLES; slot++) {
        handles[slot].id = (uintptr_t)slot;
        handles[slot].next_free = slot + 1 < HANDLES ? slot + 1 : 0;
    }
    fill_table();
    is_initialized = 1;
    return code;
}

int MPI_T_pvar_get_num(int *count)
{
    *count = own_index + 1;
    return MPI_SUCCESS;
}

int MPI_T_pvar_get_info(int index, char *name, int *length, int *verbosity, int *class, MPI_Datatype *type,
                        MPI_T_enum *values, char *text, int *text_length, int *bind, int *readonly, int *continuous,
                        int *atomic)
{
    if (index != own_index)
        return NEXT(MPI_T_pvar_get_info)(index, name, length, verbosity, class, type, values, text, text_length, bind,
                                         readonly, continuous, atomic);
    strncpy(name, OWN, (size_t)*length);
    *class = MPI_T_PVAR_CLASS_COUNTER;
    *bind = MPI_T_BIND_NO_OBJECT;
    *continuous = 0;
    return MPI_SUCCESS;
}

static uint64_t sum_of_bins(const _Atomic uint64_t *bins)
{
    uint64_t sum = 0;
    for (int bin = 0; bin < BINS; bin++)
        sum += atomic_load_explicit(&bins[bin], memory_order_relaxed);
    return sum;
}

/* The handle of an identifier; null if it was freed. */
static inline struct handle *handle_of(uintptr_t id)
{
    struct handle *handle = &handles[id % HANDLES];
    return handle->id == id && atomic_load_explicit(&is_initialized, memory_order_relaxed) ? handle : NULL;
}

static inline struct handle *new_handle(void)
{
    while (atomic_flag_test_and_set_explicit(&is_changing, memory_order_acquire))
        ;
    const int slot = first_free;
    first_free = handles[slot].next_free;
    atomic_flag_clear_explicit(&is_changing, memory_order_release);
    if (!slot)
        abort();
    handles[slot].pvar = NULL;
    handles[slot].value = NULL;
    atomic_store_explicit(&handles[slot].base, 0, memory_order_relaxed);
    return &handles[slot];
}

static inline void free_handle(struct handle *handle)
{
    while (atomic_flag_test_and_set_explicit(&is_changing, memory_order_acquire))
        ;
    const int slot = (int)(handle->id % HANDLES);
    handle->id += HANDLES;
    handle->next_free = first_free;
    first_free = slot;
    atomic_flag_clear_explicit(&is_changing, memory_order_release);
}

/* Calls the MPI library, which uses the handle. */
#define USING(handle, call)                                                        \
    atomic_store_explicit(&(handle)->in_progress, 1, memory_order_relaxed);        \
    atomic_signal_fence(memory_order_seq_cst);                                     \
    const int code = call;                                                         \
    atomic_store_explicit(&(handle)->in_progress, 0, memory_order_release);

int MPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int index, void *object, MPI_T_pvar_handle *id, int *count)
{
    struct handle *handle = new_handle();
    handle->session = session;
    if (index == own_index) {
        handle->value = sum_of_bins;
        handle->bins = messages;
        *count = 1;
    } else {
        USING(handle, next_pvar_handle_alloc(session, index, object, &handle->pvar, count))
        if (code != MPI_SUCCESS) {
            free_handle(handle);
            return code;
        }
    }
    *id = (MPI_T_pvar_handle)handle->id;
    return MPI_SUCCESS;
}

int MPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *id)
{
    struct handle *handle = handle_of((uintptr_t)*id);
    if (!handle || handle->session != session)
        return MPI_T_ERR_INVALID_HANDLE;
    if (!handle->value) {
        USING(handle, next_pvar_handle_free(session, &handle->pvar))
        if (code != MPI_SUCCESS)
            return code;
    }
    free_handle(handle);
    *id = MPI_T_PVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}

int MPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle id)
{
    struct handle *handle = handle_of((uintptr_t)id);
    if (!handle || handle->session != session)
        return MPI_T_ERR_INVALID_HANDLE;
    return handle->value ? MPI_SUCCESS : NEXT(MPI_T_pvar_start)(session, handle->pvar);
}

int MPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle id, void *buf)
{
    struct handle *handle = handle_of((uintptr_t)id);
    if (!handle || handle->session != session || !buf)
        return MPI_T_ERR_INVALID_HANDLE;
    if (!handle->value) {
        USING(handle, next_pvar_read(session, handle->pvar, buf))
        return code;
    }
    uint64_t value;
    uint32_t version;
    do {
        version = atomic_load_explicit(&handle->version, memory_order_acquire);
        value = handle->value(handle->bins) - atomic_load_explicit(&handle->base, memory_order_acquire);
    } while (version % 2 || version != atomic_load_explicit(&handle->version, memory_order_relaxed));
    memcpy(buf, &value, sizeof value);
    return MPI_SUCCESS;
}

int MPI_T_cvar_handle_alloc(int index, void *object, MPI_T_cvar_handle *id, int *count)
{
    struct handle *handle = new_handle();
    const int code = NEXT(MPI_T_cvar_handle_alloc)(index, object, &handle->cvar, count);
    if (code != MPI_SUCCESS)
        free_handle(handle);
    else
        *id = (MPI_T_cvar_handle)handle->id;
    return code;
}

int MPI_T_cvar_handle_free(MPI_T_cvar_handle *id)
{
    struct handle *handle = handle_of((uintptr_t)*id);
    if (!handle)
        return MPI_T_ERR_INVALID_HANDLE;
    const int code = NEXT(MPI_T_cvar_handle_free)(&handle->cvar);
    free_handle(handle);
    return code;
}

int MPI_T_cvar_read(MPI_T_cvar_handle id, void *buf)
{
    struct handle *handle = handle_of((uintptr_t)id);
    if (!handle || !buf)
        return MPI_T_ERR_INVALID_HANDLE;
    USING(handle, next_cvar_read(handle->cvar, buf))
    return code;
}

int MPI_T_pvar_get_index(const char *name, int class, int *index)
{
    const struct entry *entry = find(name, PVAR, class);
    if (!entry->length)
        return next_pvar_get_index(name, class, index);
    *index = entry->index;
    return MPI_SUCCESS;
}

int MPI_T_cvar_get_index(const char *name, int *index)
{
    const struct entry *entry = find(name, CVAR, 0);
    if (!entry->length)
        return next_cvar_get_index(name, index);
    *index = entry->index;
    return MPI_SUCCESS;
}
