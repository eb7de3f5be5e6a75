/* R174: Writing a read-only performance variable gives PVAR_NO_WRITE. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i)
        if (readonly && MPI_T_pvar_read(session, handle, value) == MPI_SUCCESS) {
            int code = MPI_T_pvar_write(session, handle, value);
            if (++tried && code != MPI_T_ERR_PVAR_NO_WRITE)
                FAILS("a write of %s, which is read-only, answers code %d", name, code);
        }
    HOLDS(tried, "read-only performance variables with a value");
}
