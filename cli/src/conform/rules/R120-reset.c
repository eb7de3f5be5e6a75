/* R120: Counters and aggregates are 0 after a reset. */
#include "conform.h"
#include "pvar.h"
#include "sums.h"
int main(void)
{
    FOR_EACH(i)
        if (IS_COUNT && !readonly) {
            continuous ? 0 : MPI_T_pvar_start(session, handle);
            ACT();
            if (MPI_T_pvar_reset(session, handle) || MPI_T_pvar_read(session, handle, value))
                continue;
            if (++tried && memcmp(value, zero, bytes) != 0)
                FAILS("%s is not 0 after a reset, but %llu", name, *(unsigned long long *)value);
        }
    HOLDS(tried, "counters or aggregates that can be reset");
}
