/* Publishes variables of each kind, and an event, by tables of mpit_plugin.h: one before MPI_Init and one behind it.
 * `mpit run --read` shows their values at the end. */
#include <mpi.h>
#include <mpit_plugin.h>

static struct mpit_sum steps = MPIT_SUM_INIT, late = MPIT_SUM_INIT;
static struct mpit_level vectors = MPIT_LEVEL_INIT;
static struct mpit_comm_counters reductions = MPIT_COMM_COUNTERS_INIT;
static struct mpit_event_cell diverged = MPIT_EVENT_CELL_INIT;
static unsigned long sizes[3] = {10, 20, 30};
static char method[16] = "cg";

static int fail(void *user_data, const struct mpit_object *object, void *out, int count)
{
    (void)user_data, (void)object, (void)out, (void)count;
    return 1;
}

#define VARIABLE .size = sizeof(struct mpit_pvar), MPIT_HERE

static const struct mpit_pvar pvars[] = {
    {VARIABLE, .name = "values_steps", .description = "Steps.", .pvar_class = MPIT_CLASS_COUNTER,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = &steps},
    {VARIABLE, .name = "values_vectors", .description = "Vectors.", .pvar_class = MPIT_CLASS_LEVEL,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .level = &vectors},
    {VARIABLE, .name = "values_vectors", .description = "The most vectors.", .pvar_class = MPIT_CLASS_HIGHWATERMARK,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .level = &vectors},
    {VARIABLE, .name = "values_reductions", .description = "Reductions.", .pvar_class = MPIT_CLASS_COUNTER,
     .datatype = MPIT_UNSIGNED_LONG_LONG, MPIT_COMM_COUNTERS(&reductions)},
    {VARIABLE, .name = "values_sizes", .description = "Sizes.", .pvar_class = MPIT_CLASS_SIZE,
     .datatype = MPIT_UNSIGNED_LONG, .flags = MPIT_PVAR_READONLY, .count = 3, .storage = sizes},
    {VARIABLE, .name = "values_method", .description = "The method.", .pvar_class = MPIT_CLASS_GENERIC,
     .datatype = MPIT_CHAR, .count = sizeof method, .storage = method},
    {VARIABLE, .name = "values_broken", .description = "Its function fails.", .pvar_class = MPIT_CLASS_SIZE,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .read = fail},
};
static const struct mpit_source sources[] = {
    {.size = sizeof sources[0], MPIT_HERE, .name = "values", .description = "The program.", .order = MPIT_SOURCE_UNORDERED},
};
struct divergence {
    int step;
};
static const struct mpit_element elements[] = {MPIT_ELEMENT(struct divergence, step, MPIT_INT)};
static const struct mpit_event events[] = {
    {.size = sizeof events[0], MPIT_HERE, .name = "values_diverged", .description = "The residual grew.",
     .source = "values", .elements = elements, .num_elements = 1, .cell = &diverged},
};
static const struct mpit_table table = {MPIT_TABLE("values"), MPIT_LIST(pvars), MPIT_LIST(sources), MPIT_LIST(events)};

static const struct mpit_pvar late_pvars[] = {
    {VARIABLE, .name = "values_late", .description = "Published after MPI_Init.", .pvar_class = MPIT_CLASS_COUNTER,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = &late},
};
static const struct mpit_table late_table = {MPIT_TABLE("values_late"), .pvars = late_pvars, .num_pvars = 1};

int main(int argc, char **argv)
{
    int rank, refused;
    MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
    refused = mpit_offer(&table);
    MPI_Init(&argc, &argv);
    refused |= mpit_offer(&late_table);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mpit_counter_add(&steps, (uint64_t)rank + 1);
    mpit_counter_add(&late, 5);
    mpit_level_set(&vectors, 7);
    mpit_level_set(&vectors, 4);
    mpit_comm_counter_add(mpit_comm_counter_of(&reductions, &world), 6);
    mpit_comm_counter_add(mpit_comm_counter_of(&reductions, &self), 9);
    sizes[0] += (unsigned long)rank;
    if (rank == 1)
        method[0] = 'b';
    for (int step = 0; step < rank + 2; step++)
        mpit_raise(&diverged, MPIT_SAFETY_NONE, 0, &step);
    MPI_Finalize();
    return refused;
}
