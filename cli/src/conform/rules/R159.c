/* R159: The handle of a continuous variable runs from the beginning: it can be read. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i)
        if (continuous) {
            int code = MPI_T_pvar_read(session, handle, value);
            if (++tried && code != MPI_SUCCESS)
                FAILS("a read of %s, which is continuous, answers code %d", name, code);
        }
    HOLDS(tried, "continuous performance variables");
}
