/* R175: The value written to a performance variable is read. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i)
        if (!readonly && !continuous && type != MPI_CHAR) {
            MPI_T_pvar_start(session, handle);
            MPI_T_pvar_stop(session, handle);
            if (MPI_T_pvar_read(session, handle, value) || MPI_T_pvar_write(session, handle, zero))
                continue;
            if (MPI_T_pvar_read(session, handle, value) == MPI_SUCCESS && ++tried && memcmp(value, zero, bytes) != 0)
                FAILS("%s is not 0 after a successful write of 0", name);
        }
    HOLDS(tried, "performance variables that can be written");
}
