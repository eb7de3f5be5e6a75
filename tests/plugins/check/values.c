/* A plug-in with valid definitions, invalid values, and one definition that mpit has. Findings are announced as in faults.c. */

#include <mpit_plugin.h>

static int weather = 9, mode = 5;
static double share = 1.5;
static uint64_t bytes;

static const struct mpit_enum_item items[] = {{1, "fair"}, {2, "foul"}};
static const struct mpit_enum skies = {sizeof(struct mpit_enum), "values_skies", items, 2};
static const char *const in_values[] = {"values", 0};

#define PVAR .size = sizeof(struct mpit_pvar), .count = 1, .categories = in_values

static const struct mpit_pvar pvars[] = {
    {PVAR, .name = "values_weather", .description = "The weather.", .pvar_class = MPIT_CLASS_STATE,
     .datatype = MPIT_INT, .storage = &weather, .enumeration = &skies, MPIT_HERE}, /* error R73, warning verbosity */
    {PVAR, .name = "values_share", .description = "The share.", .pvar_class = MPIT_CLASS_PERCENTAGE,
     .datatype = MPIT_DOUBLE, .storage = &share, MPIT_HERE}, /* error R111 */
    {PVAR, .name = "pml_monitoring_messages_size", .description = "Bytes.", .pvar_class = MPIT_CLASS_SIZE,
     .datatype = MPIT_UNSIGNED_LONG, .storage = &bytes, MPIT_HERE}, /* error C45, warning prefix */
};
static const struct mpit_cvar cvars[] = {
    {.size = sizeof(struct mpit_cvar), .name = "values_mode", .description = "The mode.", .datatype = MPIT_INT,
     .scope = MPIT_SCOPE_LOCAL, .count = 1, .storage = &mode, .enumeration = &skies, .categories = in_values,
     MPIT_HERE}, /* error R73 */
};

MPIT_PLUGIN("values", MPIT_LIST(pvars), MPIT_LIST(cvars))
