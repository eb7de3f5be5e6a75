/* R153: Two handles of one performance variable in a session are independent. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i)
        if (!continuous && opened(i, session, &second)) {
            int code = MPI_T_pvar_start(session, handle);
            if (code != MPI_SUCCESS)
                continue;
            if (++tried && handle == second)
                FAILS("two handles of %s are equal", name);
            if ((code = MPI_T_pvar_start(session, second)) != MPI_SUCCESS)
                FAILS("%s: once one handle is started, a start of a second one answers code %d", name, code);
        }
    HOLDS(tried, "performance variables that can be started");
}
