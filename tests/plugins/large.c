/* A plug-in with 10000 counters, which `cargo xtask bench plugins` loads. */
#include <mpit_plugin.h>

enum { FIRST = 10000, COUNT = 10000 };

static struct mpit_sum sums[COUNT];

static const struct mpit_category categories[] = {
    {.size = sizeof(struct mpit_category), .name = "large", .description = "Many counters.", MPIT_HERE},
};
static const char *const in_category[] = {"large", 0};

#define ONE(n)                                                                                                          \
    {.size = sizeof(struct mpit_pvar), .name = "large_variable_" #n, .description = "What number " #n " counts.",       \
     .pvar_class = MPIT_CLASS_COUNTER, .datatype = MPIT_UNSIGNED_LONG_LONG, .verbosity = MPIT_VERBOSITY_USER_BASIC,     \
     .count = 1, .categories = in_category, .sum = &sums[n - FIRST], MPIT_HERE},
#define TEN(n) \
    ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) \
    TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
#define THOUSAND(n)                                                                                                     \
    HUNDRED(n##0) HUNDRED(n##1) HUNDRED(n##2) HUNDRED(n##3) HUNDRED(n##4)                                               \
    HUNDRED(n##5) HUNDRED(n##6) HUNDRED(n##7) HUNDRED(n##8) HUNDRED(n##9)

static const struct mpit_pvar pvars[] = {
    THOUSAND(10) THOUSAND(11) THOUSAND(12) THOUSAND(13) THOUSAND(14)
    THOUSAND(15) THOUSAND(16) THOUSAND(17) THOUSAND(18) THOUSAND(19)
};

MPIT_PLUGIN("large", MPIT_LIST(pvars), MPIT_LIST(categories))
