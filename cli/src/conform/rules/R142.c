/* R142: A stop in one session leaves the other running. */
#include "conform.h"
#include "pvar.h"
#include "sums.h"
int main(void)
{
    FOR_EACH(i)
        if (IS_COUNT && !continuous && opened(i, other, &second)) {
            if (MPI_T_pvar_start(other, second) || ACT() || MPI_T_pvar_read(other, second, value))
                continue;
            if (!memcmp(value, zero, bytes) || MPI_T_pvar_start(session, handle) || MPI_T_pvar_stop(session, handle))
                continue;
            ACT();
            if (MPI_T_pvar_read(other, second, again) == MPI_SUCCESS && ++tried && memcmp(value, again, bytes) == 0)
                FAILS("%s counts no more messages in a session, since another one has stopped it", name);
        }
    HOLDS(tried, "counters or aggregates that count a message");
}
