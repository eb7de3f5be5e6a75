/* A plug-in that shows how a program synchronizes: barriers, and the bytes of its reductions. Its component receives collective
 * operations only while a tool has a handle started on one of the variables.
 *
 *     cc -I/opt/mpit/include -shared -fPIC sync.c -o libsync.so
 *     MPIT_PLUGINS=$PWD/libsync.so mpit run -- mpiexec -n 4 ./app
 */
#include <mpit_plugin.h>

static struct mpit_sum barriers = MPIT_SUM_INIT;
static struct mpit_sum reduced = MPIT_SUM_INIT;
static struct mpit_switch listening = MPIT_SWITCH_INIT;

/* A handle was started, or stopped. */
static void watch(void *user_data, int more)
{
    (void)user_data;
    if (more > 0)
        mpit_switch_on(&listening);
    else
        mpit_switch_off(&listening);
}

/* Called at the cost of each collective operation: no locks, no memory, no MPI. */
static void done(void *user_data, const struct mpit_operation *operation)
{
    (void)user_data;
    switch (operation->kind) {
    case MPIT_BARRIER:
        mpit_counter_add(&barriers, 1);
        break;
    case MPIT_REDUCE:
    case MPIT_ALLREDUCE:
        mpit_counter_add(&reduced, operation->bytes);
        break;
    default:
        break;
    }
}

static const char *const in_sync[] = {"sync", 0};

static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = "sync_barriers", .description = "Barriers that were passed.",
     .categories = in_sync, .pvar_class = MPIT_CLASS_COUNTER, .datatype = MPIT_UNSIGNED_LONG_LONG,
     .verbosity = MPIT_VERBOSITY_USER_BASIC, .count = 1, .sum = &barriers, .watch = watch},
    {.size = sizeof(struct mpit_pvar), MPIT_HERE, .name = "sync_reduced", .description = "Bytes that were reduced. Unit: bytes.",
     .categories = in_sync, .pvar_class = MPIT_CLASS_AGGREGATE, .datatype = MPIT_UNSIGNED_LONG_LONG,
     .verbosity = MPIT_VERBOSITY_USER_BASIC, .count = 1, .sum = &reduced, .watch = watch},
};

static const struct mpit_category categories[] = {
    {.size = sizeof(struct mpit_category), MPIT_HERE, .name = "sync", .description = "How the program synchronizes."},
};

static const struct mpit_component components[] = {
    {.size = sizeof(struct mpit_component), MPIT_HERE, .framework = "coll", .name = "sync",
     .description = "Counts barriers and reductions.", .listening = &listening, .done = done},
};

MPIT_PLUGIN("sync", MPIT_LIST(pvars), MPIT_LIST(categories), MPIT_LIST(components))
