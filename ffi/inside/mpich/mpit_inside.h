/* mpit_inside.h: what sources of MPICH count, and how. */
#ifndef MPIT_INSIDE_H
#define MPIT_INSIDE_H
#include <mpit_core.h>
extern struct mpit_level mpit_posted, mpit_unexpected;
extern struct mpit_sum mpit_eager_bytes, mpit_eager_messages, mpit_rendezvous_bytes, mpit_rendezvous_messages;
extern struct mpit_sum mpit_polls, mpit_waiting;
extern struct mpit_event_cell mpit_arrived, mpit_begun;
extern uint64_t mpit_eager_limit;
struct mpit_arrival { int source, tag, context; };
struct mpit_rendezvous { int dest, tag; uint64_t bytes; };
#define MPIT_EAGER(BYTES) (mpit_counter_add(&mpit_eager_messages, 1), mpit_counter_add(&mpit_eager_bytes, (uint64_t)(BYTES)))
#define MPIT_RENDEZVOUS(DEST, TAG, BYTES)                                                                              \
    (mpit_counter_add(&mpit_rendezvous_messages, 1), mpit_counter_add(&mpit_rendezvous_bytes, (uint64_t)(BYTES)),      \
     mpit_raise(&mpit_begun, MPIT_SAFETY_MPI_RESTRICTED, 0, &(struct mpit_rendezvous){DEST, TAG, (uint64_t)(BYTES)}))
#define MPIT_ARRIVED(MATCH)                                                                                            \
    (mpit_level_add(&mpit_unexpected, 1), mpit_raise(&mpit_arrived, MPIT_SAFETY_MPI_RESTRICTED, 0,                     \
     &(struct mpit_arrival){(MATCH)->parts.rank, (MATCH)->parts.tag, (MATCH)->parts.context_id}))
#define MPIT_LIMIT(THRESHOLD) ((THRESHOLD) = (uint64_t)(THRESHOLD) > mpit_eager_limit ? (intptr_t)mpit_eager_limit : (THRESHOLD))
#endif
