/* R95: Writing a CONSTANT or a READONLY control variable gives CVAR_SET_NEVER. */
#include "conform.h"
#include "cvar.h"
int main(void)
{
    FOR_EACH(i)
        if ((scope == MPI_T_SCOPE_CONSTANT || scope == MPI_T_SCOPE_READONLY)
            && MPI_T_cvar_read(handle, value) == MPI_SUCCESS) {
            int code = MPI_T_cvar_write(handle, value);
            if (code != MPI_T_ERR_CVAR_SET_NEVER)
                FAILS("%s: a write answers code %d", name, code);
            tried++;
        }
    HOLDS(tried, "CONSTANT or READONLY control variables");
}
