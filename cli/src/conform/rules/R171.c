/* R171: Running and stopped handles can be read. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i)
        if (!continuous && MPI_T_pvar_start(session, handle) == MPI_SUCCESS) {
            int running = MPI_T_pvar_read(session, handle, value), stop = MPI_T_pvar_stop(session, handle);
            int stopped = MPI_T_pvar_read(session, handle, value);
            if (++tried && (running || stop || stopped))
                FAILS("%s: a read answers code %d, stop code %d, a further read code %d", name, running, stop, stopped);
        }
    HOLDS(tried, "performance variables that can be started");
}
