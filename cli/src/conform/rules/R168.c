/* R168: The value of a stopped handle does not change. */
#include "conform.h"
#include "pvar.h"
#include "sums.h"
int main(void)
{
    FOR_EACH(i)
        if (!continuous) {
            MPI_T_pvar_start(session, handle);
            MPI_T_pvar_stop(session, handle);
            if (MPI_T_pvar_read(session, handle, value))
                continue;
            ACT();
            if (MPI_T_pvar_read(session, handle, again) == MPI_SUCCESS && ++tried && memcmp(value, again, bytes) != 0)
                FAILS("%s changes in a stopped handle", name);
        }
    HOLDS(tried, "performance variables that can be stopped");
}
