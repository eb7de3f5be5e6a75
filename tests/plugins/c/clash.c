/* A plug-in that defines an entry of the plug-in `acme`, and an entry of its own. */

#include <mpit_plugin.h>

static struct mpit_sum work = MPIT_SUM_INIT, own = MPIT_SUM_INIT;

static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), .name = "acme_work", .description = "Taken.", .pvar_class = MPIT_CLASS_COUNTER,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = &work, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = "clash_own", .description = "Free.", .pvar_class = MPIT_CLASS_COUNTER,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = &own, MPIT_HERE},
};

MPIT_PLUGIN("clash", MPIT_LIST(pvars))
