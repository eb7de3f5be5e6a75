/* A plug-in that uses the whole interface during its activation: it loads itself, which is refused, and another plug-in, and
 * registers a table. The program provides the functions of mpit_plugin.h. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpit_plugin.h>
#include <stdio.h>

static struct mpit_sum own = MPIT_SUM_INIT;
static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), .name = "nested_own", .description = "Registered on the way.",
     .pvar_class = MPIT_CLASS_COUNTER, .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = &own, MPIT_HERE},
};
static const struct mpit_table on_the_way = {MPIT_TABLE("nested_own"), MPIT_LIST(pvars)};

static int activate(void)
{
    Dl_info here;
    int number = -1;
    if (!dladdr((void *)&own, &here))
        return 1;
    printf("nested: itself %s,", mpit_plugin_load(here.dli_fname, 0) ? "refused" : "loaded");
    printf(" acme %s,", mpit_plugin_load(INNER, &number) || number != 0 ? "refused" : "loaded");
    printf(" table %s\n", mpit_register(&on_the_way) ? "refused" : "registered");
    return 0;
}

static const struct mpit_category categories[] = {
    {.size = sizeof(struct mpit_category), .name = "nested", .description = "Something to show.", MPIT_HERE},
};

MPIT_PLUGIN_WITH("nested", activate, 0, MPIT_LIST(categories))
