/* R75: Text that is read ends with a NUL within its count. */
#include "conform.h"
#include "cvar.h"
int main(void)
{
    FOR_EACH(i)
        if (type == MPI_CHAR) {
            memset(value, '#', sizeof value);
            int code = MPI_T_cvar_read(handle, value);
            if (code == MPI_SUCCESS && !memchr(value, 0, count))
                FAILS("%s has count %d, and no NUL in it", name, count);
            tried += code == MPI_SUCCESS;
        }
    HOLDS(tried, "control variables with text");
}
