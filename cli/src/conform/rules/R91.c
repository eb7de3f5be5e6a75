/* R91: Freeing sets the handle of a control variable to CVAR_HANDLE_NULL. */
#include "conform.h"
#include "cvar.h"
int main(void)
{
    FOR_EACH(i) {
        int code = MPI_T_cvar_handle_free(&handle);
        if (code != MPI_SUCCESS || handle != MPI_T_CVAR_HANDLE_NULL)
            FAILS("the handle of %s is %p after it was freed, code %d", name, (void *)handle, code);
        tried++;
    }
    HOLDS(tried, "control variables with a handle");
}
