/* R59: No handle of a performance variable equals a null constant or PVAR_ALL_HANDLES. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i) {
        if (++tried && (handle == MPI_T_PVAR_HANDLE_NULL || handle == MPI_T_PVAR_ALL_HANDLES))
            FAILS("%s has the handle %p", name, (void *)handle);
    }
    HOLDS(tried, "performance variables with a handle");
}
