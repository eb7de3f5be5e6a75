/* R103: A handle of a control variable does not depend on other handles of the variable. */
#include "conform.h"
#include "cvar.h"
int main(void)
{
    FOR_EACH(i)
        if (opened(i, &second) && MPI_T_cvar_read(handle, value) == MPI_SUCCESS) {
            MPI_T_cvar_handle_free(&second);
            int code = MPI_T_cvar_read(handle, value);
            if (code != MPI_SUCCESS)
                FAILS("%s: once another handle is freed, a read answers code %d", name, code);
            tried++;
        }
    HOLDS(tried, "control variables with a handle");
}
