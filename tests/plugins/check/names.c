/* A plug-in whose names are given at compile time: -DNAME="..." and, to use names of others, -DPVAR=..., -DCLASS=...,
 * -DCVAR=..., -DCATEGORY=... */

#include <mpit_plugin.h>

#ifndef PVAR
#define PVAR NAME "_count"
#define CLASS MPIT_CLASS_COUNTER
#endif
#ifndef CVAR
#define CVAR NAME "_limit"
#endif
#ifndef CATEGORY
#define CATEGORY NAME
#endif
/* The type that each class admits. */
#define TYPE                                                                                                            \
    ((CLASS) == MPIT_CLASS_STATE ? MPIT_INT : (CLASS) == MPIT_CLASS_PERCENTAGE ? MPIT_DOUBLE : MPIT_UNSIGNED_LONG_LONG)

static uint64_t count;
static int limit;

static const struct mpit_enum_item items[] = {{0, "none"}};
static const struct mpit_enum enumeration = {sizeof(struct mpit_enum), NAME "_items", items, 1};
static const char *const in_category[] = {CATEGORY, 0};

static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), .name = PVAR, .description = "A count.", .pvar_class = CLASS, .datatype = TYPE,
     .count = 1, .storage = &count, .enumeration = (CLASS) == MPIT_CLASS_STATE ? &enumeration : 0,
     .categories = in_category, MPIT_HERE},
};
static const struct mpit_cvar cvars[] = {
    {.size = sizeof(struct mpit_cvar), .name = CVAR, .description = "A limit.", .datatype = MPIT_INT,
     .scope = MPIT_SCOPE_LOCAL, .count = 1, .storage = &limit, .categories = in_category, MPIT_HERE},
};

#if defined NEEDS_MPI || defined HAS_MPI
int MPI_Initialized(int *flag);
#endif
#ifdef HAS_MPI
MPIT_EXPORT int MPI_Initialized(int *flag)
{
    *flag = 0;
    return 0;
}
#endif

static int activate(void)
{
#ifdef NEEDS_MPI
    int flag;
    return MPI_Initialized(&flag);
#else
    return 0;
#endif
}

MPIT_PLUGIN_WITH(NAME, activate, 0, MPIT_LIST(pvars), MPIT_LIST(cvars))
