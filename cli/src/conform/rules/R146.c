/* R146: A handle of another session is refused, in all seven calls that take both. */
#include "conform.h"
#include "pvar.h"
static char accepted[512], *end = accepted;
#define TRY(call) end += MPI_T_pvar_##call == MPI_SUCCESS ? sprintf(end, " %.*s", (int)strcspn(#call, "("), #call) : 0
int main(void)
{
    FOR_EACH(i) {
        TRY(start(other, handle)), TRY(stop(other, handle));
        TRY(read(other, handle, value));
        TRY(write(other, handle, value));
        TRY(reset(other, handle));
        TRY(readreset(other, handle, value));
        TRY(handle_free(other, &handle));
        if (++tried && end > accepted)
            FAILS("a handle of %s is accepted in another session:%s", name, accepted);
    }
    HOLDS(tried, "performance variables with a handle");
}
