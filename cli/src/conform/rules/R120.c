/* R120: Counters and aggregates are 0 at first, whatever happened before the handle was made. */
#include "conform.h"
#include "pvar.h"
#include "sums.h"
int main(void)
{
    FOR_EACH(i)
        if (IS_COUNT && (ACT(), opened(i, other, &second))) {
            if ((!continuous && MPI_T_pvar_start(other, second)) || MPI_T_pvar_read(other, second, value))
                continue;
            if (++tried && memcmp(value, zero, bytes) != 0)
                FAILS("%s is not 0 in a new handle, but %llu", name, *(unsigned long long *)value);
        }
    HOLDS(tried, "counters or aggregates with a value");
}
