/* A plug-in that defines entries of the plug-in `acme`, and entries of its own. `OWN` is its name in quotation marks. Two plug-ins with
   different items in the enumeration `phase` clash in it, too. */

#include <mpit_plugin.h>

static struct mpit_sum work = MPIT_SUM_INIT, own = MPIT_SUM_INIT;
static int state;

static const struct mpit_enum_item items[] = {{0, OWN}};
static const struct mpit_enum phase = {
    .size = sizeof(struct mpit_enum), .name = "phase", .items = items, .num_items = 1};

static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), .name = "acme_work", .description = "Taken.", .pvar_class = MPIT_CLASS_COUNTER,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = &work, MPIT_HERE},
    {.size = sizeof(struct mpit_pvar), .name = OWN "_own", .description = "Free.", .pvar_class = MPIT_CLASS_COUNTER,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = &own, MPIT_HERE},
};

static const struct mpit_source sources[] = {
    {.size = sizeof(struct mpit_source), .name = "acme_clock", .description = "Taken.", MPIT_HERE},
};

static const struct mpit_cvar cvars[] = {
    {.size = sizeof(struct mpit_cvar), .name = OWN "_phase", .description = "Of an enumeration.", .datatype = MPIT_INT,
     .count = 1, .storage = &state, .enumeration = &phase, MPIT_HERE},
};

MPIT_PLUGIN(OWN, MPIT_LIST(pvars), MPIT_LIST(sources), MPIT_LIST(cvars))
