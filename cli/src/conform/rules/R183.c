/* R183: Readreset without the atomic flag gives PVAR_NO_ATOMIC. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i)
        if (!atomic) {
            continuous ? 0 : MPI_T_pvar_start(session, handle);
            int code = MPI_T_pvar_readreset(session, handle, value);
            if (++tried && code != MPI_T_ERR_PVAR_NO_ATOMIC && !(readonly && code == MPI_T_ERR_PVAR_NO_WRITE))
                FAILS("MPI_T_pvar_readreset of %s, whose atomic flag is 0, answers code %d", name, code);
        }
    HOLDS(tried, "performance variables without the atomic flag");
}
