/* R52: Codes are positive, distinct, and not above MPI_ERR_LASTCODE. */
#include "conform.h"
static const int codes[] = {
    MPI_T_ERR_INVALID, MPI_T_ERR_MEMORY, MPI_T_ERR_NOT_INITIALIZED, MPI_T_ERR_CANNOT_INIT,
    MPI_T_ERR_INVALID_INDEX, MPI_T_ERR_INVALID_ITEM, MPI_T_ERR_INVALID_NAME, MPI_T_ERR_INVALID_HANDLE,
    MPI_T_ERR_OUT_OF_HANDLES, MPI_T_ERR_OUT_OF_SESSIONS, MPI_T_ERR_INVALID_SESSION, MPI_T_ERR_CVAR_SET_NOT_NOW,
    MPI_T_ERR_CVAR_SET_NEVER, MPI_T_ERR_PVAR_NO_STARTSTOP, MPI_T_ERR_PVAR_NO_WRITE, MPI_T_ERR_PVAR_NO_ATOMIC,
#if MPI_VERSION >= 4
    MPI_T_ERR_NOT_ACCESSIBLE, MPI_T_ERR_NOT_SUPPORTED,
#endif
};
int main(void)
{
    const int n = sizeof codes / sizeof *codes;
    for (int i = 0; i < n; i++) {
        if (codes[i] <= MPI_SUCCESS || codes[i] > MPI_ERR_LASTCODE)
            FAILS("code %d is not between MPI_SUCCESS and MPI_ERR_LASTCODE, which is %d", codes[i], MPI_ERR_LASTCODE);
        for (int j = 0; j < i; j++)
            if (codes[i] == codes[j])
                FAILS("two codes are %d", codes[i]);
    }
    HOLDS(1, "");
}
