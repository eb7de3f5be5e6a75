/* Plug-ins with one fault each: compiled with -DFAULT_... . Without it, the plug-in is valid. More faults of tables are in
 * register_refusals.c. */

#include <mpit_plugin.h>
#include <string.h>

static uint64_t value;

#ifdef FAULT_NAME_UNMAPPED
#define NAME ((const char *)0x7000)
#else
#define NAME "wrong_value"
#endif

static struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), .name = NAME, .description = "A value.", .pvar_class = MPIT_CLASS_SIZE,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .flags = MPIT_PVAR_READONLY | MPIT_PVAR_CONTINUOUS, .count = 1,
     .storage = &value},
};

static const struct mpit_sum constant __attribute__((unused)) = MPIT_SUM_INIT;

static int limit;
static struct mpit_cvar cvars[] = {
    {.size = sizeof(struct mpit_cvar), .name = "wrong_limit", .description = "A limit.", .datatype = MPIT_INT,
     .scope = MPIT_SCOPE_LOCAL, .count = 1, .storage = &limit},
};

static void sent(void *user_data, const struct mpit_message *message)
{
    (void)user_data, (void)message;
}

static struct mpit_component components[] = {
    {.size = sizeof(struct mpit_component), .framework = "pml", .name = "wrong", .description = "Listens.", .sent = sent},
};

static struct mpit_table table = {MPIT_TABLE("wrong"), MPIT_LIST(pvars), MPIT_LIST(cvars), MPIT_LIST(components)};

#ifdef FAULT_ACTIVATE
static int activate(void)
{
    return 5;
}
#else
#define activate 0
#endif

/* A larger struct than we know, which may only have zeros there. */
struct larger {
    struct mpit_plugin plugin;
    uint64_t more;
};

struct larger larger = {
    {MPIT_MAGIC, MPIT_MAJOR, MPIT_MINOR, sizeof(struct mpit_plugin), "wrong", &table, activate, 0, 0, 0}, 0};

#ifdef FAULT_UNDEFINED
extern int wrong_undefined_function(void);
#endif

/* Brings the fault in. */
static inline void spoil(void)
{
#if defined(FAULT_MAGIC)
    larger.plugin.magic = 0x464c457f;
#elif defined(FAULT_MAJOR)
    larger.plugin.major = MPIT_MAJOR + 1;
#elif defined(FAULT_MINOR)
    /* No fault: later minor versions only add. */
    larger.plugin.minor = MPIT_MINOR + 1;
#elif defined(FAULT_SIZE_SMALL)
    larger.plugin.size = 24;
#elif defined(FAULT_SIZE_LARGE)
    larger.plugin.size = sizeof larger;
    larger.more = 1;
#elif defined(FAULT_SIZE_LARGE_ZEROS)
    /* No fault. */
    larger.plugin.size = sizeof larger;
#elif defined(FAULT_SIZE_HUGE)
    larger.plugin.size = (size_t)1 << 40;
#elif defined(FAULT_PLUGIN_NAME_NULL)
    larger.plugin.name = 0;
#elif defined(FAULT_PROBLEM)
    larger.plugin.problem = "it needs hardware\nthat is not here";
#elif defined(FAULT_TABLE_NULL)
    larger.plugin.table = 0;
#elif defined(FAULT_TABLE_MISALIGNED)
    larger.plugin.table = (const struct mpit_table *)((const char *)&table + 1);
#elif defined(FAULT_TABLE_SMALL_INTEGER)
    larger.plugin.table = (const struct mpit_table *)16;
#elif defined(FAULT_TABLE_NO_ADDRESS)
    larger.plugin.table = (const struct mpit_table *)0xdead00000000beeful;
#elif defined(FAULT_LIST_UNMAPPED)
    table.pvars = (const struct mpit_pvar *)0x7f0000001000;
#elif defined(FAULT_LIST_TOO_LONG)
    table.num_pvars = 100000;
#elif defined(FAULT_CLASS)
    pvars[0].pvar_class = 42;
#elif defined(FAULT_SUM_CONST)
    pvars[0] = (struct mpit_pvar){.size = sizeof pvars[0], .name = NAME, .pvar_class = MPIT_CLASS_COUNTER,
                                  .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = (struct mpit_sum *)&constant};
#elif defined(FAULT_STORAGE_CONST)
    cvars[0].storage = (void *)&constant;
#endif
}

#ifdef FAULT_UNDEFINED
__attribute__((visibility("default"))) int wrong_calls(void)
{
    return wrong_undefined_function();
}
#endif

#ifndef FAULT_NO_SYMBOL
MPIT_EXPORT const struct mpit_plugin *mpit_plugin_v1(const struct mpit_host *host);
MPIT_EXPORT const struct mpit_plugin *mpit_plugin_v1(const struct mpit_host *host)
{
    if (host->magic != MPIT_MAGIC || !strstr(host->name, "mpit"))
        return 0;
#if defined(FAULT_RETURNS_NULL)
    return 0;
#elif defined(FAULT_RETURNS_ODD)
    return (const struct mpit_plugin *)((const char *)&larger + 3);
#endif
    spoil();
    return &larger.plugin;
}
#endif
