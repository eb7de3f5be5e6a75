/* R104: Every control variable that gives a handle can be read, whatever its scope. */
#include "conform.h"
#include "cvar.h"
int main(void)
{
    FOR_EACH(i) {
        int code = MPI_T_cvar_read(handle, value);
        if (code != MPI_SUCCESS)
            FAILS("a read of %s answers code %d", name, code);
        tried++;
    }
    HOLDS(tried, "control variables with a handle");
}
