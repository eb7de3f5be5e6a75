/* R87: Without an object to bind to, the object argument of a control variable is not looked at. */
#include "conform.h"
#include "cvar.h"
int main(void)
{
    FOR_EACH(i) {
        int code = MPI_T_cvar_handle_alloc(i, (void *)16, &handle, &count);
        if (code != MPI_SUCCESS)
            FAILS("%s gives a handle for NULL, and for another pointer code %d", name, code);
        tried++;
    }
    HOLDS(tried, "control variables with a handle");
}
