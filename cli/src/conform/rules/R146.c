/* R146: A handle of another session gives INVALID_HANDLE, in all seven calls that take both. */
#include "conform.h"
#include "pvar.h"
static char text[512], *end = text;
static int code;
#define TRY(name, call) \
    (code = call, end += code == MPI_T_ERR_INVALID_HANDLE ? 0 : sprintf(end, ", %s: code %d", name, code))
int main(void)
{
    FOR_EACH(i) {
        TRY("start", MPI_T_pvar_start(other, handle)), TRY("stop", MPI_T_pvar_stop(other, handle));
        TRY("read", MPI_T_pvar_read(other, handle, value)), TRY("write", MPI_T_pvar_write(other, handle, value));
        TRY("reset", MPI_T_pvar_reset(other, handle)), TRY("readreset", MPI_T_pvar_readreset(other, handle, value));
        TRY("handle_free", MPI_T_pvar_handle_free(other, &handle));
        if (++tried && end > text)
            FAILS("%s with another session%s", name, text);
    }
    HOLDS(tried, "performance variables with a handle");
}
