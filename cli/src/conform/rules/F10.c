/* F10: A read of a control variable writes count elements of the datatype and nothing else. */
#include "conform.h"
#include "cvar.h"
int main(void)
{
    FOR_EACH(i) {
        size_t size = bytes;
        memset(value, '#', size + 8);
        if (MPI_T_cvar_read(handle, value) == MPI_SUCCESS && ++tried && memcmp(value + size, "########", 8) != 0)
            FAILS("a read of %s writes more than %d elements of %d bytes", name, count, bytes);
    }
    HOLDS(tried, "control variables with a handle");
}
