/* R96: A write of a control variable that fails changes nothing. */
#include "conform.h"
#include "cvar.h"
int main(void)
{
    FOR_EACH(i)
        if (bytes == 4 && count == 1 && MPI_T_cvar_read(handle, value) == MPI_SUCCESS) {
            int old = *(int *)value, new = old + 1, now = old;
            if (MPI_T_cvar_write(handle, &new) == MPI_SUCCESS) {
                MPI_T_cvar_write(handle, &old);
                continue;
            }
            MPI_T_cvar_read(handle, &now);
            if (now != old)
                FAILS("%s was %d, and is %d after a write of %d failed", name, old, now, new);
            tried++;
        }
    HOLDS(tried, "control variables that refuse a write");
}
