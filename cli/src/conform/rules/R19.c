/* R19: After k inits the interface stays up until the k-th finalize. */
#include "conform.h"
int main(void)
{
    int code, n;
    for (int i = 0; i < 3; i++)
        MPI_T_init_thread(MPI_THREAD_SINGLE, &(int){0});
    for (int left = 2; left >= 0; left--) {
        if ((code = MPI_T_finalize()) != MPI_SUCCESS)
            FAILS("after 3 inits, a finalize that leaves %d answers code %d", left, code);
        if ((code = MPI_T_cvar_get_num(&n)) != (left ? MPI_SUCCESS : MPI_T_ERR_NOT_INITIALIZED))
            FAILS("with %d of 3 inits left, MPI_T_cvar_get_num answers code %d", left, code);
    }
    HOLDS(1, "");
}
