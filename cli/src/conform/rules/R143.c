/* R143: A reset in one session leaves the value of the other. */
#include "conform.h"
#include "pvar.h"
#include "sums.h"
int main(void)
{
    FOR_EACH(i)
        if (IS_COUNT && !readonly && opened(i, other, &second)) {
            if (!continuous && (MPI_T_pvar_start(session, handle) || MPI_T_pvar_start(other, second)))
                continue;
            ACT();
            if (MPI_T_pvar_read(other, second, value) || MPI_T_pvar_reset(session, handle))
                continue;
            if (MPI_T_pvar_read(other, second, again) == MPI_SUCCESS && ++tried && memcmp(value, again, bytes) != 0)
                FAILS("%s changes in a session when another one resets it", name);
        }
    HOLDS(tried, "counters or aggregates that can be reset");
}
