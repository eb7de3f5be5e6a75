/* A plug-in that breaks rules, each in one place. A comment in the line of a definition announces the expected finding of
 * `mpit check`: severity and rule. There must be no other findings. */

#include <mpit_plugin.h>

#define PVAR .size = sizeof(struct mpit_pvar)
#define CVAR .size = sizeof(struct mpit_cvar)
#define EVENT .size = sizeof(struct mpit_event)
#define CATEGORY .size = sizeof(struct mpit_category)
#define COMPONENT .size = sizeof(struct mpit_component)
#define ULL .datatype = MPIT_UNSIGNED_LONG_LONG

/* Longer than 255 bytes. */
#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static const char *const in_faults[] = {"faults", 0};
#define IN_FAULTS .categories = in_faults

static int value;
static uint64_t words[2];
static struct mpit_sum sum = MPIT_SUM_INIT;
static struct mpit_event_cell cells[9];

/* In memory that can be read and not written. */
static const int const_value = 3;
static const struct mpit_sum const_sum = MPIT_SUM_INIT;
static const struct mpit_level const_level = MPIT_LEVEL_INIT;
static const struct mpit_event_cell const_cell = MPIT_EVENT_CELL_INIT;
static const struct mpit_switch const_switch = MPIT_SWITCH_INIT;
#define NOWHERE ((void *)0x7000)

static const struct mpit_enum_item twice[] = {{1, "one"}, {1, "uno"}};
static const struct mpit_enum without_items = {sizeof(struct mpit_enum), "faults_without_items", 0, 0};
static const struct mpit_enum same_items = {sizeof(struct mpit_enum), "faults_same_items", twice, 2};
static const struct mpit_enum one_item = {sizeof(struct mpit_enum), "faults_one_item", twice, 1};

/* A sum that is right but for what is given behind. */
#define SUM PVAR, .description = "A sum.", .pvar_class = MPIT_CLASS_COUNTER, ULL, .count = 1, .sum = &sum, IN_FAULTS
/* A variable in memory. */
#define INT PVAR, .description = "A number.", .datatype = MPIT_INT, .count = 1, .storage = &value, IN_FAULTS

static const struct mpit_pvar pvars[] = {
    {SUM, .name = "faults_good", MPIT_HERE},
    {SUM, .name = "faults_good", MPIT_HERE}, /* error C45 */
    {SUM, MPIT_HERE}, /* error C1 */
    {SUM, .name = "", MPIT_HERE}, /* error C1, warning prefix */
    {SUM, .name = "faults_with blank", MPIT_HERE}, /* error C2 */
    {SUM, .name = "faults_\xff", MPIT_HERE}, /* error C2 */
    {SUM, .name = "faults_" HUNDRED HUNDRED HUNDRED, MPIT_HERE}, /* error C3 */
    {SUM, .name = "faults_verbosity", .verbosity = 9, MPIT_HERE}, /* error C4 */
    {SUM, .name = "faults_bind", .bind = 12, MPIT_HERE}, /* error C4 */
    {SUM, .name = "faults_flags", .flags = 1 << 20, MPIT_HERE}, /* error C4 */
    {SUM, .name = "faults_two_values", .storage = words, MPIT_HERE}, /* error C5 */
    {SUM, .name = "faults_never_reset", .flags = MPIT_PVAR_ATOMIC | MPIT_PVAR_READONLY, MPIT_HERE}, /* error C21 */
    {INT, .name = "faults_no_class", .pvar_class = 42, MPIT_HERE}, /* error C4 */
    {INT, .name = "faults_signed", .pvar_class = MPIT_CLASS_SIZE, MPIT_HERE}, /* error C6 */
    {INT, .name = "faults_stateless", .pvar_class = MPIT_CLASS_STATE, MPIT_HERE}, /* error C9 */
    {INT, .name = "faults_nothing", .pvar_class = MPIT_CLASS_STATE, .enumeration = &without_items, MPIT_HERE}, /* error C11, error left-out */
    {INT, .name = "faults_uno", .pvar_class = MPIT_CLASS_STATE, .enumeration = &same_items, MPIT_HERE}, /* error C12, error left-out */
    {PVAR, .name = "faults_named", .description = "Words.", .pvar_class = MPIT_CLASS_SIZE, ULL, .count = 1, .storage = words, .enumeration = &one_item, IN_FAULTS, MPIT_HERE}, /* error C10 */
    {PVAR, .name = "faults_atomic", .description = "Words.", .pvar_class = MPIT_CLASS_SIZE, ULL, .flags = MPIT_PVAR_ATOMIC | MPIT_PVAR_WRITABLE, .count = 1, .storage = words, IN_FAULTS, MPIT_HERE}, /* error C22 */
    {PVAR, .name = "faults_many", .description = "Words.", .pvar_class = MPIT_CLASS_SIZE, ULL, .count = -1, .storage = words, IN_FAULTS, MPIT_HERE}, /* error C28 */
    {PVAR, .name = "faults_odd", .description = "Words.", .pvar_class = MPIT_CLASS_SIZE, ULL, .count = 1, .storage = (char *)words + 1, IN_FAULTS, MPIT_HERE}, /* error table */
    {PVAR, .name = "faults_lost", .description = "Words.", .pvar_class = MPIT_CLASS_SIZE, ULL, .count = 1, .storage = NOWHERE, IN_FAULTS, MPIT_HERE}, /* error table */
    {PVAR, .name = "faults_const_sum", .description = "A sum.", .pvar_class = MPIT_CLASS_COUNTER, ULL, .count = 1, .sum = (struct mpit_sum *)&const_sum, IN_FAULTS, MPIT_HERE}, /* error table */
    {PVAR, .name = "faults_const_level", .description = "A level.", .pvar_class = MPIT_CLASS_LEVEL, ULL, .count = 1, .level = (struct mpit_level *)&const_level, IN_FAULTS, MPIT_HERE}, /* error table */
    {PVAR, .name = "faults_untold", .pvar_class = MPIT_CLASS_SIZE, ULL, .count = 2, .storage = words, IN_FAULTS, MPIT_HERE}, /* warning description */
    {PVAR, .name = "faults_generic", .pvar_class = MPIT_CLASS_GENERIC, ULL, .count = 2, .storage = words, IN_FAULTS, MPIT_HERE}, /* warning R127 */
    {PVAR, .name = "faults_time", .description = "Time lost.", .pvar_class = MPIT_CLASS_TIMER, ULL, .count = 1, .storage = words, IN_FAULTS, MPIT_HERE}, /* warning R123 */
    {PVAR, .name = "faults_time_ns", .description = "Time lost, in ns.", .pvar_class = MPIT_CLASS_TIMER, ULL, .count = 1, .storage = words, MPIT_HERE}, /* warning category */
};

static void end_of_object(void *user_data, const struct mpit_object *object)
{
    (void)user_data, (void)object;
}

static const char *const odd_names[] = {"a=b", 0};
#define SETTING CVAR, .description = "A setting.", .datatype = MPIT_INT, .count = 1, .storage = &value, IN_FAULTS
static const struct mpit_cvar cvars[] = {
    {SETTING, .name = "faults_setting", .scope = MPIT_SCOPE_LOCAL, .verbosity = MPIT_VERBOSITY_MPIDEV_ALL, MPIT_HERE},
    {SETTING, .name = "faults_setting", .scope = MPIT_SCOPE_LOCAL, MPIT_HERE}, /* error C45 */
    {SETTING, .name = "faults_scope", .scope = 7, MPIT_HERE}, /* error C4 */
    {SETTING, .name = "faults_alias", .scope = MPIT_SCOPE_LOCAL, .aliases = odd_names, MPIT_HERE}, /* error C2 */
    {CVAR, .name = "faults_group", .datatype = MPIT_INT, .count = 1, .storage = &value, .scope = MPIT_SCOPE_GROUP, IN_FAULTS, MPIT_HERE}, /* error C25, warning description */
    {SETTING, .name = "faults_bound", .scope = MPIT_SCOPE_LOCAL, .bind = MPIT_BIND_COMM, MPIT_HERE}, /* error C29 */
    {SETTING, .name = "faults_unbound", .scope = MPIT_SCOPE_LOCAL, .freed = end_of_object, MPIT_HERE}, /* error C29 */
    {CVAR, .name = "faults_const", .description = "A setting.", .datatype = MPIT_INT, .count = 1, .storage = (void *)&const_value, .scope = MPIT_SCOPE_LOCAL, IN_FAULTS, MPIT_HERE}, /* error table */
    {CVAR, .name = "faults_const_lost", .description = "A setting.", .datatype = MPIT_INT, .count = 1, .storage = NOWHERE, .scope = MPIT_SCOPE_CONSTANT, IN_FAULTS, MPIT_HERE}, /* error table */
    {CVAR, .name = "faults_const_const", .description = "A setting.", .datatype = MPIT_INT, .count = 1, .storage = (void *)&const_value, .scope = MPIT_SCOPE_CONSTANT, IN_FAULTS, MPIT_HERE},
    {CVAR, .name = "faults_nowhere", .description = "A setting.", .datatype = MPIT_INT, .count = 1, IN_FAULTS, MPIT_HERE}, /* error table */
};

static const struct mpit_source sources[] = {
    {.size = sizeof(struct mpit_source), .name = "faults_clock", .description = "A clock.", MPIT_HERE},
    {.size = sizeof(struct mpit_source), .name = "faults_order", .description = "A clock.", .order = 2, MPIT_HERE}, /* error C4 */
};

static const struct mpit_element late[] = {{MPIT_INT, 4, 0}};
static const struct mpit_element crossed[] = {{MPIT_INT, 0, 0}, {MPIT_DOUBLE, 0, 0}};
static const struct mpit_element large[] = {{MPIT_INT, 0, 0}, {MPIT_INT, 256, 0}};
static const struct mpit_element half_named[] = {{MPIT_INT, 0, "a"}, {MPIT_INT, 4, 0}};
static const struct mpit_element one[] = {{MPIT_INT, 0, 0}};
#define RAISED EVENT, .description = "It happened.", .source = "faults_clock", IN_FAULTS
static const struct mpit_event events[] = {
    {RAISED, .name = "faults_happened", .elements = one, .num_elements = 1, .cell = &cells[0], MPIT_HERE},
    {RAISED, .name = "faults_happened", .elements = one, .num_elements = 1, .cell = &cells[1], MPIT_HERE}, /* error C45 */
    {RAISED, .name = "faults_shared_cell", .elements = one, .num_elements = 1, .cell = &cells[0], MPIT_HERE}, /* error table */
    {RAISED, .name = "faults_no_cell", .elements = one, .num_elements = 1, MPIT_HERE}, /* error table */
    {RAISED, .name = "faults_const_cell", .elements = one, .num_elements = 1, .cell = (struct mpit_event_cell *)&const_cell, MPIT_HERE}, /* error table */
    {RAISED, .name = "faults_late", .elements = late, .num_elements = 1, .cell = &cells[2], MPIT_HERE}, /* error C32 */
    {RAISED, .name = "faults_crossed", .elements = crossed, .num_elements = 2, .cell = &cells[3], MPIT_HERE}, /* error C32 */
    {RAISED, .name = "faults_large", .elements = large, .num_elements = 2, .cell = &cells[4], MPIT_HERE}, /* error C33 */
    {RAISED, .name = "faults_half", .elements = half_named, .num_elements = 2, .cell = &cells[5], MPIT_HERE}, /* error C34 */
    {EVENT, .name = "faults_sourceless", .description = "It happened.", .source = "nowhere", .elements = one, .num_elements = 1, .cell = &cells[6], IN_FAULTS, MPIT_HERE}, /* error C35 */
    {EVENT, .name = "faults_disordered", .description = "It happened.", .source = "faults_order", .elements = one, .num_elements = 1, .cell = &cells[7], IN_FAULTS, MPIT_HERE}, /* error left-out */
};

static const struct mpit_category categories[] = {
    {CATEGORY, .name = "faults", .description = "What is wrong.", MPIT_HERE},
    {CATEGORY, .name = "faults_outer", .description = "Around.", .parent = "faults_inner", MPIT_HERE}, /* error C43 */
    {CATEGORY, .name = "faults_inner", .description = "Inside.", .parent = "faults_outer", MPIT_HERE},
    {CATEGORY, .name = "faults_itself", .description = "Once.", MPIT_HERE},
    {CATEGORY, .name = "faults_itself", .description = "Twice.", MPIT_HERE}, /* error C45 */
};

static const struct mpit_component components[] = {
    {COMPONENT, .framework = "pml", .name = "faults", .description = "Listens.", MPIT_HERE},
    {COMPONENT, .framework = "pml", .name = "faults", .description = "Listens.", MPIT_HERE}, /* error C45 */
    {COMPONENT, .framework = "pml", .name = "monitoring", .description = "Listens.", MPIT_HERE}, /* error C45 */
    {COMPONENT, .framework = "pml", .name = "faults_const", .description = "Listens.", .listening = (struct mpit_switch *)&const_switch, MPIT_HERE}, /* error table */
    {COMPONENT, .framework = "btl", .name = "faults", .description = "Listens.", MPIT_HERE}, /* error framework */
};

MPIT_PLUGIN("faults", MPIT_LIST(pvars), MPIT_LIST(cvars), MPIT_LIST(sources), MPIT_LIST(events), MPIT_LIST(categories),
            MPIT_LIST(components))
