/* R93: The value written to a control variable is read. */
#include "conform.h"
#include "cvar.h"
/* Overwrites the memory of functions that have returned: a library must not keep the variable there. */
static void use_stack(void) { volatile char stack[1 << 16]; for (int i = 0; i < 1 << 16; i++) stack[i] = 7; }
int main(void)
{
    FOR_EACH(i)
        if (bytes == 4 && count == 1 && items == MPI_T_ENUM_NULL && scope > MPI_T_SCOPE_READONLY
            && MPI_T_cvar_read(handle, value) == MPI_SUCCESS) {
            int old = *(int *)value, new = old == 1 ? 0 : old + 1, now = old;
            if (MPI_T_cvar_write(handle, &new) != MPI_SUCCESS)
                continue;
            use_stack();
            MPI_T_cvar_read(handle, &now);
            if (now != new)
                FAILS("%s is %d after a successful write of %d", name, now, new);
            MPI_T_cvar_write(handle, &old);
            tried++;
        }
    HOLDS(tried, "control variables that can be written now");
}
