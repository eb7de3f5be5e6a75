/* mpit_inside.c: MPICH's internal numbers as variables, and its functions of MPI_T with these behind its own. */
#undef malloc
#undef free
#define MPIT_CORE_BIND_SESSION MPI_T_BIND_NO_OBJECT
#define MPIT_CORE_ERR_NOT_ACCESSIBLE MPI_T_ERR_INVALID
#define MPIT_CORE_FILE void * /* Without ROMIO there is no MPI_File. */
#include <mpit_core_mpi.h>

struct mpit_level mpit_posted = MPIT_LEVEL_INIT, mpit_unexpected = MPIT_LEVEL_INIT;
struct mpit_sum mpit_eager_bytes = MPIT_SUM_INIT, mpit_eager_messages = MPIT_SUM_INIT;
struct mpit_sum mpit_rendezvous_bytes = MPIT_SUM_INIT, mpit_rendezvous_messages = MPIT_SUM_INIT;
struct mpit_sum mpit_polls = MPIT_SUM_INIT, mpit_waiting = MPIT_SUM_INIT;
struct mpit_event_cell mpit_arrived = MPIT_EVENT_CELL_INIT, mpit_begun = MPIT_EVENT_CELL_INIT;
uint64_t mpit_eager_limit = INT64_MAX;

#define PVAR(NAME, CLASS, TYPE, CELL, TEXT)                                                                        \
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = "mpich_" NAME, .description = TEXT,                      \
     .pvar_class = MPIT_CLASS_##CLASS, .datatype = TYPE, .count = 1, CELL}
#define NUMBER MPIT_UNSIGNED_LONG_LONG
static const struct mpit_pvar pvars[] = {
    PVAR("posted_receives", LEVEL, NUMBER, .level = &mpit_posted, "Length of the queue of posted receives."),
    PVAR("posted_receives", HIGHWATERMARK, NUMBER, .level = &mpit_posted, "The largest length of that queue."),
    PVAR("unexpected_messages", LEVEL, NUMBER, .level = &mpit_unexpected, "Length of the queue of unexpected messages."),
    PVAR("unexpected_messages", HIGHWATERMARK, NUMBER, .level = &mpit_unexpected, "The largest length of that queue."),
    PVAR("eager_messages", COUNTER, NUMBER, .sum = &mpit_eager_messages, "Messages sent eagerly."),
    PVAR("eager_bytes", AGGREGATE, NUMBER, .sum = &mpit_eager_bytes, "Bytes of these messages."),
    PVAR("rendezvous_messages", COUNTER, NUMBER, .sum = &mpit_rendezvous_messages, "Messages sent by rendezvous."),
    PVAR("rendezvous_bytes", AGGREGATE, NUMBER, .sum = &mpit_rendezvous_bytes, "Bytes of these messages."),
    PVAR("progress_polls", COUNTER, NUMBER, .sum = &mpit_polls, "Passes of the progress engine."),
    PVAR("progress_waiting", TIMER, MPIT_DOUBLE, .sum = &mpit_waiting, "Seconds in calls that wait for progress."),
};
static const struct mpit_cvar cvars[] = {
    {.size = sizeof(struct mpit_cvar), MPIT_HERE, .name = "mpich_eager_limit", .datatype = MPIT_UINT64_T, .count = 1,
     .description = "Messages of more bytes, with their header, and more than 16 are sent by rendezvous, as those above MPICH's own limits.",
     .scope = MPIT_SCOPE_LOCAL, .storage = &mpit_eager_limit},
};
static const struct mpit_source sources[] = {
    {.size = sizeof(struct mpit_source), MPIT_HERE, .name = "mpich", .description = "MPICH's progress engine."},
};
static const struct mpit_element arrival[] = {MPIT_ELEMENT(struct mpit_arrival, source, MPIT_INT),
    MPIT_ELEMENT(struct mpit_arrival, tag, MPIT_INT), MPIT_ELEMENT(struct mpit_arrival, context, MPIT_INT)};
static const struct mpit_element rendezvous[] = {MPIT_ELEMENT(struct mpit_rendezvous, dest, MPIT_INT),
    MPIT_ELEMENT(struct mpit_rendezvous, tag, MPIT_INT), MPIT_ELEMENT(struct mpit_rendezvous, bytes, MPIT_UINT64_T)};
static const struct mpit_event events[] = {
    {.size = sizeof(struct mpit_event), MPIT_HERE, .name = "mpich_unexpected_message", .source = "mpich",
     .description = "A message arrived that no receive was posted for.", .elements = arrival, .num_elements = 3,
     .cell = &mpit_arrived},
    {.size = sizeof(struct mpit_event), MPIT_HERE, .name = "mpich_rendezvous", .source = "mpich",
     .description = "A message is being sent by rendezvous.", .elements = rendezvous, .num_elements = 3, .cell = &mpit_begun},
};
static const struct mpit_table table = {MPIT_TABLE("mpich"), MPIT_LIST(pvars), MPIT_LIST(cvars), MPIT_LIST(sources),
                                        MPIT_LIST(events)};
__attribute__((constructor)) static void mpit_start(void)
{
    mpit_core_register(&table);
}
