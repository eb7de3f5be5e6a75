/* Tables with one fault each: mpit_register must refuse the whole table, and add none of its entries. Prints a line for each
 * failure, and for each fault the text that standard error must contain. */
#include "mpit_plugin.h"

#include <mpi.h>

#include <stdio.h>
#include <string.h>

static struct mpit_sum sum = MPIT_SUM_INIT;
static struct mpit_event_cell cells[2] = {MPIT_EVENT_CELL_INIT, MPIT_EVENT_CELL_INIT};
static struct mpit_level level = MPIT_LEVEL_INIT;
static unsigned long long words[2];
static int stored;
static int failures, refused;

static void check(int right, const char *what)
{
    if (!right) {
        printf("FAIL %s\n", what);
        failures++;
    }
}

/* A table with all that it refers to. */
struct whole {
    struct mpit_table table;
    struct mpit_pvar pvars[2];
    struct mpit_source sources[1];
    struct mpit_event events[2];
    struct mpit_element elements[2];
    struct mpit_category categories[2];
    struct mpit_enum_item items[2];
    struct mpit_enum names;
    struct mpit_cvar cvars[1];
    struct mpit_component component;
};

static struct whole it;
static const struct whole valid = {
    .pvars = {{.size = sizeof(struct mpit_pvar), .name = "r_sum", .pvar_class = MPIT_CLASS_COUNTER,
               .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = &sum},
              {.size = sizeof(struct mpit_pvar), .name = "r_words", .pvar_class = MPIT_CLASS_LEVEL,
               .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 2, .storage = words}},
    .sources = {{.size = sizeof(struct mpit_source), .name = "r_source"}},
    .elements = {{MPIT_INT, 0, 0}, {MPIT_DOUBLE, 8, 0}},
    .events = {{.size = sizeof(struct mpit_event), .name = "r_event", .source = "r_source", .elements = it.elements,
                .num_elements = 2, .cell = &cells[0]},
               {.size = sizeof(struct mpit_event), .name = "r_other", .source = "r_source", .cell = &cells[1]}},
    .categories = {{.size = sizeof(struct mpit_category), .name = "r_outer"},
                   {.size = sizeof(struct mpit_category), .name = "r_inner", .parent = "r_outer"}},
    .items = {{0, "zero"}, {1, "one"}},
    .names = {sizeof(struct mpit_enum), "r_names", it.items, 2},
    .cvars = {{.size = sizeof(struct mpit_cvar), .name = "r_cvar", .datatype = MPIT_INT, .count = 1, .storage = &stored,
               .enumeration = &it.names}},
    .table = {.size = sizeof(struct mpit_table), .version = MPIT_MAJOR, .component = "r", .pvars = it.pvars, .num_pvars = 2,
              .sources = it.sources, .num_sources = 1, .events = it.events, .num_events = 2, .categories = it.categories,
              .num_categories = 2, .cvars = it.cvars, .num_cvars = 1, .components = &it.component, .num_components = 0},
    .component = {.size = sizeof(struct mpit_component), .framework = "pml", .name = "r_component"},
};

static int count_none(void *user_data, const struct mpit_object *object)
{
    return 0;
}

static struct mpit_level *no_level(void *user_data, const struct mpit_object *object)
{
    return 0;
}

static int get(void *user_data, void *out, int count)
{
    return 0;
}

static int put(void *user_data, const void *value, int count)
{
    return 0;
}

enum { COUNTS = 5 };

static void count(int now[COUNTS])
{
    MPI_T_cvar_get_num(&now[4]);
    MPI_T_pvar_get_num(&now[0]);
    MPI_T_event_get_num(&now[1]);
    MPI_T_source_get_num(&now[2]);
    MPI_T_category_get_num(&now[3]);
}

static void refuse(const struct mpit_table *table, const char *expected)
{
    int before[COUNTS], after[COUNTS], code;
    count(before);
    code = mpit_register(table);
    count(after);
    char text[256];
    snprintf(text, sizeof text, "%s: code %d", expected, code);
    check(code == MPI_T_ERR_INVALID, text);
    snprintf(text, sizeof text, "%s: something was registered", expected);
    check(!memcmp(before, after, sizeof before), text);
    printf("expected: %s\n", expected);
    refused++;
}

/* A table that one statement makes invalid. */
#define SPOILT(statement, expected)    \
    do {                               \
        it = valid;                    \
        statement;                     \
        refuse(&it.table, (expected)); \
    } while (0)

/* A table of two variables whose structs have another size than in this header: missing members are 0. */
static int register_sized(size_t bytes, const char *const names[2])
{
    static struct mpit_sum sums[64];
    static int used;
    struct mpit_pvar one = {.size = bytes, .pvar_class = MPIT_CLASS_COUNTER, .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1,
                            .file = "sized.c", .line = 7};
    char list[2 * (sizeof one + 64)];
    struct mpit_table table = {MPIT_TABLE("sized"), .pvars = (const struct mpit_pvar *)list, .num_pvars = 2};
    /* The bytes behind are not 0. */
    memset(list, 0xff, sizeof list);
    for (int at = 0; at < 2; at++) {
        one.name = names[at];
        one.sum = &sums[used++];
        memset(list + at * bytes, 0, bytes);
        memcpy(list + at * bytes, &one, bytes < sizeof one ? bytes : sizeof one);
    }
    return mpit_register(&table);
}

/* Structs of the first version are accepted, and so are larger ones whose unknown members are 0. */
static void sizes(void)
{
    const size_t first_version = offsetof(struct mpit_pvar, enumeration) + sizeof(void *);
    int index;
    for (size_t bytes = first_version; bytes <= sizeof(struct mpit_pvar) + 32; bytes += 8) {
        char first[32], second[32];
        const char *const names[2] = {first, second};
        snprintf(first, sizeof first, "sized_%zu", bytes);
        snprintf(second, sizeof second, "second_%zu", bytes);
        check(register_sized(bytes, names) == MPI_SUCCESS &&
              MPI_T_pvar_get_index(second, MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS, second);
    }
}

int main(void)
{
    static char longest[300], wordy[65536 + 1];
    static const char *const endless[] = {"\xff", 0}, *const outer[] = {"r_outer", 0}, *const spaced[] = {"a b", 0},
                             *const equal[] = {"A=b", 0};
    struct {
        struct mpit_source source;
        long more;
    } larger = {.source = {.size = sizeof larger, .name = "r_source"}, .more = 1};
    int provided, before[COUNTS], after[COUNTS];
    memset(longest, 'x', sizeof longest - 1);
    memset(wordy, 'x', sizeof wordy - 1);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);

    refuse(0, "the table is a null pointer");
    refuse((const struct mpit_table *)((const char *)words + 1), "is not aligned");
    SPOILT(it.table.size = 0, "its size is 0");
    SPOILT(it.table.size = offsetof(struct mpit_table, components) - 8, "the table: its size is");
    SPOILT(it.table.version = 2, "version 2");
    SPOILT(it.table.component = 0, "component is a null pointer");
    SPOILT(it.table.component = "a b", "component: its name contains white space");
    SPOILT(it.table.pvars = 0, "pvar 1 is a null pointer");
    SPOILT(it.table.num_pvars = (size_t)-1, "which cannot be");
    SPOILT(it.pvars[1].size += 8, "pvar 2");
    SPOILT(it.pvars[0].name = 0, "the name of pvar 1 is a null pointer");
    SPOILT(it.pvars[0].name = "", "its name is empty");
    SPOILT(it.pvars[0].name = longest, "the name of pvar 1 is longer than 255 bytes");
    SPOILT(it.pvars[0].name = "r\xff", "the name of pvar 1 is not UTF-8");
    SPOILT(it.pvars[0].name = "two\nlines", "pvar `two?lines` (COUNTER) at r, pvar 1: its name contains white space");
    SPOILT(it.pvars[0].description = "\xc3\x28", "pvar `r_sum` at r, pvar 1: its description is not UTF-8");
    SPOILT(it.pvars[0].description = wordy, "its description is longer than 65535 bytes");
    SPOILT(it.pvars[0].pvar_class = 10, "pvar `r_sum` at r, pvar 1: there is no class 10");
    SPOILT(it.pvars[0].datatype = -1, "there is no datatype -1");
    SPOILT(it.pvars[0].datatype = MPIT_DOUBLE, "the class COUNTER does not admit DOUBLE values");
    SPOILT(it.pvars[0].verbosity = 9, "there is no verbosity 9");
    SPOILT(it.pvars[0].bind = 12, "there is no bind 12");
    SPOILT(it.pvars[0].flags = 32, "flags 0x20");
    SPOILT(it.pvars[1].flags = MPIT_PVAR_ATOMIC, "ATOMIC");
    SPOILT(it.pvars[0].count = 0, "its count is 0");
    SPOILT(it.pvars[0].count = 2, "one element");
    SPOILT(it.pvars[0].sum = 0, "of which 0 are given");
    SPOILT(it.pvars[0].storage = words, "of which 2 are given");
    SPOILT(it.pvars[0].sum = (struct mpit_sum *)((char *)&sum + 1), "its sum at");
    SPOILT(it.pvars[1].storage = (char *)words + 4, "its storage at");
    SPOILT(it.pvars[0].pvar_class = MPIT_CLASS_LEVEL, "a LEVEL is not kept in a `sum`");
    SPOILT(it.pvars[1].pvar_class = MPIT_CLASS_HIGHWATERMARK, "a watermark needs");
    SPOILT(it.pvars[0].categories = endless, "the name of one of its categories is not UTF-8");
    SPOILT((it.pvars[1] = it.pvars[0]), "pvar `r_sum` (COUNTER) at r, pvar 2: r, pvar 1 already defines it");
    SPOILT(it.sources[0].order = 2, "source `r_source` at r, source 1: there is no order 2");
    SPOILT(it.table.sources = &larger.source, "source 1: it needs a later mpit");
    SPOILT(it.events[0].source = "missing", "event `r_event` at r, event 1: there is no source `missing`");
    SPOILT(it.events[0].source = 0, "its source is a null pointer");
    SPOILT(it.events[0].elements = 0, "its list of elements is a null pointer");
    SPOILT(it.events[0].cell = 0, "its cell is a null pointer");
    SPOILT(it.events[1].cell = it.events[0].cell, "event `r_other` at r, event 2: its cell");
    SPOILT(it.events[1].name = it.events[0].name, "event `r_event` at r, event 2: r, event 1 already defines it");
    SPOILT(it.elements[0].datatype = 11, "element 0: there is no datatype 11");
    SPOILT(it.elements[0].displacement = 4, "does not lie at the start");
    SPOILT(it.elements[1].displacement = 2, "its elements overlap");
    SPOILT(it.elements[1].displacement = 256, "larger than 256 bytes");
    SPOILT(it.elements[1].displacement = (size_t)-4, "element 1: its displacement");
    SPOILT(it.elements[1].name = "b", "1 of its 2 elements have names");
    SPOILT(it.categories[0].parent = "r_inner", "it would be its own ancestor");
    SPOILT(it.categories[0].parent = "r_outer", "it would be its own ancestor");
    SPOILT(it.pvars[0].count = -1, "its count is -1");
    SPOILT(it.categories[0].name = 0, "the name of category 1 is a null pointer");
    SPOILT((it.pvars[0].sum = 0, it.pvars[0].level = &level), "a COUNTER is not kept in a `level`");
    SPOILT(it.pvars[1].level = &level, "of which 2 are given");
    SPOILT(it.pvars[1].enumeration = &it.names, "only INT variables");
    SPOILT((it.pvars[1].pvar_class = MPIT_CLASS_STATE, it.pvars[1].datatype = MPIT_INT), "names its states");
    SPOILT(it.names.size = 1, "cvar `r_cvar` at r, cvar 1: its enumeration: its size is 1");
    SPOILT(it.names.items = 0, "enumeration `r_names`: its list of items is a null pointer");
    SPOILT(it.items[1].name = 0, "the name of item 1 is a null pointer");
    SPOILT(it.items[1].value = 0, "enumeration `r_names` at r, cvar 1: its items `zero` and `one` are not distinct");
    SPOILT(it.cvars[0].storage = 0, "cvar `r_cvar` at r, cvar 1: its storage is a null pointer");
    SPOILT(it.cvars[0].storage = (char *)&stored + 1, "cvar `r_cvar` at r, cvar 1: its storage at");
    SPOILT(it.cvars[0].scope = 7, "there is no scope 7");
    SPOILT(it.cvars[0].scope = MPIT_SCOPE_GROUP, "the description of a GROUP setting has to name the group");
    SPOILT(it.cvars[0].count = -1, "its count is -1");
    SPOILT(it.cvars[0].name = "", "its name is empty");

    /* Members that came later. */
    SPOILT((it.pvars[0].file = "acme.c", it.pvars[0].line = 12, it.pvars[0].datatype = 11), "r: pvar `r_sum` at acme.c:12: there");
    SPOILT((it.pvars[1] = it.pvars[0], it.pvars[1].file = "acme.c"), "pvar `r_sum` (COUNTER) at r, pvar 1: acme.c:0 already");
    SPOILT(it.pvars[0].file = "\xff", "pvar `r_sum` at r, pvar 1: its file is not UTF-8");
    SPOILT((it.cvars[0].file = "acme.c", it.cvars[0].line = 3, it.cvars[0].scope = 7), "cvar `r_cvar` at acme.c:3: there");
    SPOILT((it.sources[0].file = "acme.c", it.sources[0].line = 4, it.sources[0].order = 7), "source `r_source` at acme.c:4: ");
    SPOILT((it.events[0].file = "acme.c", it.events[0].line = 5, it.events[0].bind = 12), "event `r_event` at acme.c:5: there");
    SPOILT((it.categories[0].file = "acme.c", it.categories[0].line = 6, it.categories[0].parent = "\xff"),
           "category `r_outer` at acme.c:6: the name of its parent");
    SPOILT(it.categories[0].contains = endless, "category `r_outer` at r, category 1: the name of a category in it is not UTF-8");
    SPOILT(it.categories[1].contains = outer, "it would be its own ancestor");
    SPOILT(it.pvars[1].count_of = count_none, "its count is 2; beside `count_of` it is 0");
    SPOILT((it.pvars[1].count_of = count_none, it.pvars[1].count = 0), "`count_of` goes with `read`");
    SPOILT(it.pvars[0].count = 1 << 25, "its count is 33554432");
    SPOILT(it.pvars[0].level_of = no_level, "of which 2 are given");
    SPOILT((it.pvars[0].sum = 0, it.pvars[0].level_of = no_level), "a COUNTER is not kept in a `level_of`");
    SPOILT((it.pvars[1].storage = 0, it.pvars[1].level_of = no_level), "a `level_of` is one element");
    SPOILT((it.pvars[1].storage = 0, it.pvars[1].count = 1, it.pvars[1].level_of = no_level), "`level_of` goes with an object");
    SPOILT(it.pvars[0].bind = MPIT_BIND_COMM, "a `sum` is one element that is bound to no object");
    SPOILT(it.pvars[0].flags = MPIT_PVAR_WRITABLE | MPIT_PVAR_READONLY, "WRITABLE contradicts READONLY");
    SPOILT((it.pvars[1].pvar_class = MPIT_CLASS_PERCENTAGE, it.pvars[1].flags = MPIT_PVAR_CUMULATIVE), "cannot be CUMULATIVE");
    SPOILT((it.pvars[1].flags = MPIT_PVAR_CUMULATIVE | MPIT_PVAR_ATOMIC, it.pvars[1].count = 1), "cannot be read and reset");
    SPOILT(it.cvars[0].get = get, "one of `get` and `put`");
    SPOILT((it.cvars[0].get = get, it.cvars[0].put = put), "in place of `storage` and `set`");
    SPOILT((it.cvars[0].get = get, it.cvars[0].put = put, it.cvars[0].storage = 0, it.cvars[0].set = put), "in place of");
    SPOILT(it.cvars[0].flags = 2, "cvar `r_cvar` at r, cvar 1: its flags 0x2");
    SPOILT(it.cvars[0].aliases = endless, "the name of one of its aliases is not UTF-8");
    SPOILT(it.cvars[0].aliases = spaced, "alias `a b`: its name contains white space");
    SPOILT(it.cvars[0].environment = equal, "environment `A=b`: its name contains `=`");
    SPOILT((it.table.num_components = 1, it.component.framework = "btl"), "component `r_component` at r, component 1: there is no framework `btl`");
    SPOILT((it.table.num_components = 1, it.component.framework = 0), "its framework is a null pointer");
    SPOILT((it.table.num_components = 1, it.component.name = "a,b"), "component `a,b` at r, component 1: its name contains");
    SPOILT((it.table.num_components = 1, it.component.listening = (struct mpit_switch *)((char *)words + 1)), "its switch at");
    SPOILT((it.table.num_components = 1, it.component.size -= 24), "component 1: its size is");

    /* No refused table used a cell or a name of the valid one. */
    it = valid;
    count(before);
    check(mpit_register(&it.table) == MPI_SUCCESS, "the valid table is registered");
    count(after);
    check(after[0] == before[0] + 2 && after[1] == before[1] + 2 && after[2] == before[2] + 1 && after[3] == before[3] + 2 &&
          after[4] == before[4] + 1, "all of the valid table is there");
    refuse(&it.table, "r: event `r_event` at r, event 1: its cell");
    /* Another table's names; with cells of its own, and one entry alone. */
    SPOILT((it.table.num_events = 0, it.table.num_sources = 0, it.table.num_pvars = 1, it.table.num_categories = 0, it.table.num_cvars = 0),
           "pvar `r_sum` (COUNTER) at r, pvar 1: r, pvar 1 already defines it");
    cells[0].raise(0, 0, 0, 0);
    cells[0].raise(&cells[0], 99, 0, 0);
    sizes();
    MPI_T_finalize();
    printf("%d tables refused, %d failures\n", refused, failures);
    return failures != 0;
}
