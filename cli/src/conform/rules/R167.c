/* R167: Starting all handles starts those of the session given, and no others. */
#include "conform.h"
#include "pvar.h"
#include "sums.h"
int main(void)
{
    FOR_EACH(i)
        if (IS_COUNT && !continuous) {
            MPI_T_pvar_start(session, handle);
            MPI_T_pvar_stop(session, handle);
            if (MPI_T_pvar_read(session, handle, value) || MPI_T_pvar_start(other, MPI_T_PVAR_ALL_HANDLES))
                continue;
            ACT();
            if (MPI_T_pvar_read(session, handle, again) == MPI_SUCCESS && ++tried && memcmp(value, again, bytes) != 0)
                FAILS("%s changes in a stopped handle, since all handles of another session are started", name);
        }
    HOLDS(tried, "counters or aggregates that can be started");
}
