/* R147: Freeing a handle of a performance variable sets it to PVAR_HANDLE_NULL. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i) {
        int code = MPI_T_pvar_handle_free(session, &handle);
        if (++tried && (code != MPI_SUCCESS || handle != MPI_T_PVAR_HANDLE_NULL))
            FAILS("the handle of %s is %p after it was freed, code %d", name, (void *)handle, code);
    }
    HOLDS(tried, "performance variables with a handle");
}
