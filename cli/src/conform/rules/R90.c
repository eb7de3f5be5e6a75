/* R90: Two handles of one control variable are distinct and show one value. */
#include "conform.h"
#include "cvar.h"
int main(void)
{
    FOR_EACH(i)
        if (opened(i, &second) && MPI_T_cvar_read(handle, value) == MPI_SUCCESS) {
            if (handle == second)
                FAILS("two handles of %s are equal", name);
            int code = MPI_T_cvar_read(second, again);
            if (code != MPI_SUCCESS
                || (type == MPI_CHAR ? strcmp(value, again) : memcmp(value, again, bytes)))
                FAILS("two handles of %s show different values, code %d", name, code);
            tried++;
        }
    HOLDS(tried, "control variables with a handle");
}
