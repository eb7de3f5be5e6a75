/* R141: A start in one session leaves the handles of another stopped. */
#include "conform.h"
#include "pvar.h"
#include "sums.h"
int main(void)
{
    FOR_EACH(i)
        if (IS_COUNT && !continuous && opened(i, other, &second)) {
            MPI_T_pvar_start(other, second);
            MPI_T_pvar_stop(other, second);
            if (MPI_T_pvar_read(other, second, value) || MPI_T_pvar_start(session, handle))
                continue;
            ACT();
            if (MPI_T_pvar_read(other, second, again) == MPI_SUCCESS && ++tried && memcmp(value, again, bytes) != 0)
                FAILS("%s changes in a stopped handle, since another session has started it", name);
        }
    HOLDS(tried, "counters or aggregates that can be started");
}
