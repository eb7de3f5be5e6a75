/* Plug-ins that fail at one step: compiled with -D and the name of the step, and -DACTION for the kind of failure. */

#include <mpit_plugin.h>
#include <stdlib.h>
#include <unistd.h>

#define CRASH abort()
#define LEAVE exit(7)
#define WAIT for (;;) pause()

static struct mpit_sum sum = MPIT_SUM_INIT;

#ifdef IN_CONSTRUCTOR
__attribute__((constructor)) static void construct(void)
{
    ACTION;
}
#endif

#ifdef IN_DESTRUCTOR
__attribute__((destructor)) static void destruct(void)
{
    ACTION;
}
#endif

static int compute(void *user_data, const struct mpit_object *object, void *out, int count)
{
    (void)user_data, (void)object, (void)out, (void)count;
#ifdef IN_VALUE
    ACTION;
#endif
    return 0;
}

static int activate(void)
{
#ifdef IN_ACTIVATION
    ACTION;
#endif
#ifdef REFUSED
    return 3;
#endif
    return 0;
}

static void deactivate(void)
{
#ifdef IN_DEACTIVATION
    ACTION;
#endif
}

static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), .name = "ends_sum", .description = "A sum.", .pvar_class = MPIT_CLASS_COUNTER,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = &sum, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar),
#ifdef IN_TABLE
     .name = (const char *)8,
#else
     .name = "ends_value",
#endif
     .description = "A value.", .pvar_class = MPIT_CLASS_SIZE, .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1,
     .read = compute, MPIT_HERE},
};

MPIT_PLUGIN_WITH("ends", activate, deactivate, MPIT_LIST(pvars))
