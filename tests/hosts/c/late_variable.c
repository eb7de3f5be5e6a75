/* Registers a variable after MPI_Init, as libraries that are loaded late do. */
#include "mpit.h"
#include "mpit_plugin.h"

static struct mpit_sum late = MPIT_SUM_INIT;
static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), .name = "late_level", .description = "Comes late.",
     .pvar_class = MPIT_CLASS_COUNTER, .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = &late},
};
static const struct mpit_table table = {MPIT_TABLE("late"), MPIT_LIST(pvars)};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int failed = mpit_register(&table);
    MPI_Finalize();
    return failed;
}
