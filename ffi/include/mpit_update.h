/* mpit_update.h: functions that update the variables and raise the events of mpit_plugin.h, which includes this file.
 *
 * Without a tool that reads the variable, an update costs a load and a branch. So it does without mpit in the process.
 */
#ifndef MPIT_UPDATE_H
#define MPIT_UPDATE_H

#include "mpit_plugin.h"

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 1 if a handle on the sum is started. Lets the caller skip work that only the sum needs. */
static inline int mpit_sum_watched(const struct mpit_sum *sum)
{
    return __atomic_load_n(&sum->watchers, __ATOMIC_RELAXED) != 0;
}

/* Adds to a sum of an unsigned type if a handle on it is started. Otherwise costs one load and one branch. */
static inline void mpit_counter_add(struct mpit_sum *sum, uint64_t amount)
{
    const uint8_t *concurrent;
    if (!mpit_sum_watched(sum))
        return;
    /* Null if this thread does not see the value of the registration yet. */
    concurrent = __atomic_load_n(&sum->concurrent, __ATOMIC_RELAXED);
    if (!concurrent || __atomic_load_n(concurrent, __ATOMIC_RELAXED))
        __atomic_fetch_add(&sum->word, amount, __ATOMIC_RELAXED);
    else
        __atomic_store_n(&sum->word, __atomic_load_n(&sum->word, __ATOMIC_RELAXED) + amount, __ATOMIC_RELAXED);
}

/* Adds to a sum of doubles. Negative amounts count as 0. */
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

/* The clock_gettime of the C library, which its headers hide in strict standards, with the `struct timespec` of 64-bit Linux. */
struct mpit_time {
    int64_t seconds, nanoseconds;
};
int mpit_clock_gettime(int clock, struct mpit_time *now) __asm__("clock_gettime");

/* Returns the nanoseconds of CLOCK_MONOTONIC. */
static inline uint64_t mpit_now(void)
{
    struct mpit_time now = {0, 0};
    mpit_clock_gettime(1, &now);
    return (uint64_t)now.seconds * 1000000000u + (uint64_t)now.nanoseconds;
}

/* Begins a time to measure. Returns the start for mpit_timer_stop, or 0 without reading the clock if no handle on the timer is
 * started. A timer is a sum of MPIT_DOUBLE values, in seconds. */
static inline uint64_t mpit_timer_start(const struct mpit_sum *timer)
{
    return mpit_sum_watched(timer) ? mpit_now() : 0;
}

/* Adds the time since a start to a timer. */
static inline void mpit_timer_stop(struct mpit_sum *timer, uint64_t start)
{
    if (start)
        mpit_sum_add_double(timer, (double)(mpit_now() - start) * 1e-9);
}

/* Sets a level of an unsigned type. */
static inline void mpit_level_set(struct mpit_level *level, uint64_t value)
{
    /* Either a watermark that is being started sees the new level, or this function sees the watermark. */
    __atomic_exchange_n(&level->word, value, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&level->running, __ATOMIC_SEQ_CST))
        level->reached(level, value);
}

/* Adds to a level of an unsigned type. */
static inline void mpit_level_add(struct mpit_level *level, uint64_t amount)
{
    uint64_t value = __atomic_add_fetch(&level->word, amount, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&level->running, __ATOMIC_SEQ_CST))
        level->reached(level, value);
}

/* Subtracts from a level of an unsigned type, which stops at 0. */
static inline void mpit_level_subtract(struct mpit_level *level, uint64_t amount)
{
    uint64_t seen = __atomic_load_n(&level->word, __ATOMIC_RELAXED), next;
    do {
        next = seen > amount ? seen - amount : 0;
    } while (!__atomic_compare_exchange_n(&level->word, &seen, next, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    if (__atomic_load_n(&level->running, __ATOMIC_SEQ_CST))
        level->reached(level, next);
}

/* Sets a level of doubles. Negative numbers and NaN count as 0. */
static inline void mpit_level_set_double(struct mpit_level *level, double value)
{
    union {
        double number;
        uint64_t bits;
    } word;
    word.number = value > 0 ? value : 0;
    mpit_level_set(level, word.bits);
}

/* A counter for each communicator: the storage of a COUNTER of MPIT_UNSIGNED_LONG_LONG values that is bound to communicators.
 * The entry of the variable has MPIT_COMM_COUNTERS in place of `bind`, `count` and `sum`. */
struct mpit_comm_counters {
    uint32_t watchers; /* number of started handles, on any communicator */
    struct mpit_comm_counter *first;
};
#define MPIT_COMM_COUNTERS_INIT {0, 0}
#define MPIT_COMM_COUNTERS(COUNTERS)                                                                                          \
    .bind = MPIT_BIND_COMM, .count = 1, .read = mpit_comm_counters_read, .watch = mpit_comm_counters_watch, .user_data = (COUNTERS)

/* The counter of one communicator. */
struct mpit_comm_counter {
    uint64_t word;
    uint64_t comm; /* the number of the communicator */
    const struct mpit_comm_counters *all;
    struct mpit_comm_counter *next;
};

/* Returns the counter of the communicator with a number, or null. */
static inline struct mpit_comm_counter *mpit_comm_counter_find(struct mpit_comm_counter *first, uint64_t comm)
{
    while (first && first->comm != comm)
        first = first->next;
    return first;
}

/* The `read` of such a variable. A communicator without a counter has 0. */
static inline int mpit_comm_counters_read(void *user_data, const struct mpit_object *object, void *out, int count)
{
    struct mpit_comm_counters *counters = (struct mpit_comm_counters *)user_data;
    struct mpit_comm_counter *first = __atomic_load_n(&counters->first, __ATOMIC_ACQUIRE);
    struct mpit_comm_counter *found = mpit_comm_counter_find(first, object->id);
    (void)count;
    *(uint64_t *)out = found ? __atomic_load_n(&found->word, __ATOMIC_RELAXED) : 0;
    return 0;
}

/* The `watch` of such a variable. */
static inline void mpit_comm_counters_watch(void *user_data, int more)
{
    struct mpit_comm_counters *counters = (struct mpit_comm_counters *)user_data;
    __atomic_fetch_add(&counters->watchers, (uint32_t)more, __ATOMIC_RELAXED);
}

/* Returns the counter of a communicator, given the address of an MPI_Comm; null before MPI is initialized, and without mpit in the
 * process. Call it once for each communicator, and keep the result beside it, such as in an attribute: it looks for the counter
 * among those of all communicators. Counters are never freed; a later communicator never has that of an earlier one. */
static inline struct mpit_comm_counter *mpit_comm_counter_of(struct mpit_comm_counters *counters, const void *comm)
{
    uint64_t (*number_of)(const void *);
    struct mpit_comm_counter *first, *found, *made;
    uint64_t number;
    *(void **)&number_of = dlsym((void *)0, "mpit_comm_number");
    number = number_of ? number_of(comm) : 0;
    if (!number)
        return 0;
    first = __atomic_load_n(&counters->first, __ATOMIC_ACQUIRE);
    found = mpit_comm_counter_find(first, number);
    made = found ? 0 : (struct mpit_comm_counter *)calloc(1, sizeof *made);
    if (!made)
        return found;
    made->comm = number;
    made->all = counters;
    do {
        /* Another thread may have added it, or others. */
        found = mpit_comm_counter_find(first, number);
        if (found) {
            free(made);
            return found;
        }
        made->next = first;
    } while (!__atomic_compare_exchange_n(&counters->first, &first, made, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return made;
}

/* Adds to the counter of a communicator, or to none for null, if a handle on the variable is started. */
static inline void mpit_comm_counter_add(struct mpit_comm_counter *counter, uint64_t amount)
{
    if (counter && __atomic_load_n(&counter->all->watchers, __ATOMIC_RELAXED))
        __atomic_fetch_add(&counter->word, amount, __ATOMIC_RELAXED);
}

/* Returns 1 if an event has listeners. Lets the caller skip computing the payload. */
static inline int mpit_event_has_listeners(const struct mpit_event_cell *cell)
{
    return __atomic_load_n(&cell->listeners, __ATOMIC_RELAXED) != 0;
}

/* Raises an event. Costs one load and one branch without listeners. `safety` is the level that callbacks need at this place
 * (enum mpit_safety), `object` the `id` of the event's MPI object, or 0. The payload is copied. */
static inline void mpit_raise(const struct mpit_event_cell *cell, int safety, uint64_t object, const void *payload)
{
    void (*raise)(const struct mpit_event_cell *, int, uint64_t, const void *);
    if (!mpit_event_has_listeners(cell))
        return;
    /* Null if this thread does not see the value of the registration yet; then the event has no listeners. */
    raise = __atomic_load_n(&cell->raise, __ATOMIC_ACQUIRE);
    if (raise)
        raise(cell, safety, object, payload);
}

/* Returns the rank in the world of a rank of a communicator, or MPIT_OUTSIDE. */
static inline uint32_t mpit_world_rank(const struct mpit_object *object, uint32_t rank)
{
    if (rank >= object->num_ranks)
        return MPIT_OUTSIDE;
    return object->ranks ? __atomic_load_n(&object->ranks[rank], __ATOMIC_RELAXED) : rank;
}

/* Returns the bytes that a collective operation exchanges with a rank, or with a neighbor by its number. */
static inline uint64_t mpit_operation_bytes(const struct mpit_operation *operation, uint32_t rank)
{
    return operation->with ? operation->with(operation->volumes, rank) : operation->bytes;
}

/* mpit_switch_on subscribes to the operations of the framework. mpit_switch_off ends one subscription. A component is notified
 * while it has at least one. */
static inline void mpit_switch_on(struct mpit_switch *listening)
{
    __atomic_fetch_add(&listening->reasons, 1, __ATOMIC_SEQ_CST);
    if (listening->turn)
        listening->turn(listening->host, 1);
}
static inline void mpit_switch_off(struct mpit_switch *listening)
{
    __atomic_fetch_sub(&listening->reasons, 1, __ATOMIC_SEQ_CST);
    if (listening->turn)
        listening->turn(listening->host, -1);
}

#ifdef __cplusplus
}
#endif

#endif
