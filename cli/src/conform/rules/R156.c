/* R156: A read of a performance variable writes count elements of the datatype and nothing else. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i) {
        continuous ? 0 : MPI_T_pvar_start(session, handle);
        memset(value, '#', sizeof value);
        if (MPI_T_pvar_read(session, handle, value) == MPI_SUCCESS && ++tried && memcmp(value + bytes, "########", 8) != 0)
            FAILS("a read of %s writes more than %d elements, of %d bytes together", name, count, bytes);
    }
    HOLDS(tried, "performance variables with a value");
}
