/* R158: A new handle is stopped: a message before its start does not count. */
#include "conform.h"
#include "pvar.h"
#include "sums.h"
int main(void)
{
    FOR_EACH(i)
        if (IS_COUNT && !continuous) {
            ACT();
            MPI_T_pvar_start(session, handle);
            MPI_T_pvar_stop(session, handle);
            if (MPI_T_pvar_read(session, handle, value) == MPI_SUCCESS && ++tried && memcmp(value, zero, bytes) != 0)
                FAILS("%s counts what happened before the start: %llu", name, *(unsigned long long *)value);
        }
    HOLDS(tried, "counters or aggregates that can be started");
}
