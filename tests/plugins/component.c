/* A plug-in with a component of each framework: what this process sends, accesses, and does together with others.
 *
 *     ACME_DIR=directory MPIT_PLUGINS=component.so ...
 *
 * When MPI ends, or the plug-in is deactivated, each component writes its sums to directory/<framework>.<rank>, a line
 * for each kind of traffic and process of the world:
 *
 *     <row> <peer's rank in the world, or "all"> <messages, or operations> <bytes>
 *
 * with the rows of mpit's own files: E for messages, S and R for accesses; O2A, A2O and A2A for collective operations.
 *
 * When it is opened, each component sets the environment variable that ACME_SETS names.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpit_plugin.h>

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64 };

/* The traffic in one direction, to processes or in patterns. Several threads may add at once. */
struct sums {
    const char *row;
    uint64_t messages[MOST], bytes[MOST];
};

static void add(struct sums *sums, uint32_t place, uint64_t messages, uint64_t bytes)
{
    if (place < MOST) {
        __atomic_fetch_add(&sums->messages[place], messages, __ATOMIC_RELAXED);
        __atomic_fetch_add(&sums->bytes[place], bytes, __ATOMIC_RELAXED);
    }
}

/* One of the components; its functions get it as their user_data. */
struct component {
    const char *framework;
    struct mpit_switch listening;
    uint32_t rank;
    int opened, closed, levels;
    struct sums sums[3];
};

static struct component messages = {.framework = "pml", .sums = {{.row = "E"}}};
static struct component accesses = {.framework = "osc", .sums = {{.row = "S"}, {.row = "R"}}};
static struct component operations = {.framework = "coll", .sums = {{.row = "O2A"}, {.row = "A2O"}, {.row = "A2A"}}};
enum { ONE_TO_ALL, ALL_TO_ONE, ALL_TO_ALL };

static int open_it(void *user_data, uint32_t world_rank, uint32_t world_size)
{
    struct component *component = (struct component *)user_data;
    const char *variable = getenv("ACME_SETS");
    if (world_size > MOST)
        return 1;
    if (variable)
        setenv(variable, "2", 1);
    component->rank = world_rank;
    component->opened++;
    mpit_switch_on(&component->listening);
    return 0;
}

static void close_it(void *user_data)
{
    struct component *component = (struct component *)user_data;
    const char *dir = getenv("ACME_DIR");
    char path[4096];
    FILE *file;

    mpit_switch_off(&component->listening);
    component->closed++;
    snprintf(path, sizeof path, "%s/%s.%u", dir ? dir : ".", component->framework, component->rank);
    file = fopen(path, "w");
    if (!file) {
        perror(path);
        return;
    }
    for (int way = 0; way < 3 && component->sums[way].row; way++) {
        const struct sums *sums = &component->sums[way];
        for (int place = 0; place < MOST; place++) {
            if (!sums->messages[place])
                continue;
            fprintf(file, "%s ", sums->row);
            if (component == &operations)
                fprintf(file, "all");
            else
                fprintf(file, "%d", place);
            fprintf(file, " %llu %llu\n", (unsigned long long)sums->messages[place],
                    (unsigned long long)sums->bytes[place]);
        }
    }
    fprintf(file, "times all %d %d\n", component->opened, component->closed);
    fclose(file);
}

/* The sum of all levels that MPI_Pcontrol was called with. */
static void pcontrol(void *user_data, int level)
{
    struct component *component = (struct component *)user_data;
    component->levels += level;
}

/* For monitoring's own files. */
static void report(void *user_data, mpit_add_line add_line, void *lines)
{
    struct component *component = (struct component *)user_data;
    char line[64];

    snprintf(line, sizeof line, "levels\t%d", component->levels);
    add_line(lines, line);
}

static void sent(void *user_data, const struct mpit_message *message)
{
    struct component *component = (struct component *)user_data;
    /* Others are the library's own. */
    if (message->tag >= 0)
        add(&component->sums[0], message->to, 1, message->bytes);
}

static void accessed(void *user_data, const struct mpit_access *access)
{
    struct component *component = (struct component *)user_data;
    add(&component->sums[0], access->target, 1, access->sent);
    if (access->kind != MPIT_PUT && access->kind != MPIT_ACCUMULATE)
        add(&component->sums[1], access->target, 1, access->received);
}

/* Counts an operation, and the bytes from this process to each other one, or from each other one to this. */
static void done(void *user_data, const struct mpit_operation *operation)
{
    struct component *component = (struct component *)user_data;
    uint64_t bytes = 0;
    int pattern;

    switch (operation->kind) {
    case MPIT_BCAST:
    case MPIT_SCATTER:
    case MPIT_SCATTERV:
        pattern = ONE_TO_ALL;
        break;
    case MPIT_GATHER:
    case MPIT_GATHERV:
    case MPIT_REDUCE:
        pattern = ALL_TO_ONE;
        break;
    default:
        pattern = ALL_TO_ALL;
    }
    /* The root counts what goes to or comes from a root. */
    if (pattern != ALL_TO_ALL && operation->root_is != MPIT_ROOT_HERE)
        return;
    for (uint32_t rank = 0; rank < operation->size; rank++)
        if (rank != operation->rank)
            bytes += mpit_operation_bytes(operation, rank);
    add(&component->sums[pattern], 0, 1, bytes);
}

/* Called whether the component listens or not; nothing is kept by communicator here. */
static void freed(void *user_data, uint64_t comm)
{
    (void)user_data, (void)comm;
}

/* The members that all three have, before and behind those of their own: C++ requires this order. */
#define FIRST(framework_, component, description_)                                                                    \
    .size = sizeof(struct mpit_component), MPIT_HERE, .framework = framework_, .name = "acme",                        \
    .description = description_, .listening = &component.listening, .user_data = &component, .open = open_it,         \
    .close = close_it
#define LAST .pcontrol = pcontrol, .report = report

static const struct mpit_component components[] = {
    {FIRST("pml", messages, "Messages, by receiver."), .sent = sent, LAST},
    {FIRST("osc", accesses, "Accesses to memory of others, by target."), .accessed = accessed, LAST},
    {FIRST("coll", operations, "Collective operations, by pattern."), .done = done, .freed = freed, LAST},
};

MPIT_PLUGIN("acme", MPIT_LIST(components))
