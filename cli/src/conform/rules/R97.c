/* R97: After CVAR_SET_NEVER, no write changes the variable in this run. */
#include "conform.h"
#include "cvar.h"
int main(void)
{
    FOR_EACH(i)
        if (MPI_T_cvar_read(handle, value) == MPI_SUCCESS
            && MPI_T_cvar_write(handle, value) == MPI_T_ERR_CVAR_SET_NEVER) {
            int code = MPI_T_cvar_write(handle, value);
            if (code == MPI_SUCCESS)
                FAILS("%s: a write answers CVAR_SET_NEVER, and the next one code %d", name, code);
            tried++;
        }
    HOLDS(tried, "control variables that answer CVAR_SET_NEVER");
}
