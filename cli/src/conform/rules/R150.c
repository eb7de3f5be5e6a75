/* R150: Without an object to bind to, the object argument of a performance variable is not looked at. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i)
        if (bind == MPI_T_BIND_NO_OBJECT) {
            int code = MPI_T_pvar_handle_alloc(session, i, (void *)16, &handle, &count);
            if (++tried && code != MPI_SUCCESS)
                FAILS("%s gives a handle for NULL, and for another pointer code %d", name, code);
        }
    HOLDS(tried, "performance variables without an object");
}
