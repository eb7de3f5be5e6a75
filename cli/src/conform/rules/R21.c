/* R21: One finalize too many gives an error and does not disturb the count: the next init needs one finalize again. */
#include "conform.h"
int main(void)
{
    int code, n;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &n);
    MPI_T_finalize();
    if ((code = MPI_T_finalize()) == MPI_SUCCESS)
        FAILS("the second finalize after one init answers MPI_SUCCESS");
    if ((code = MPI_T_init_thread(MPI_THREAD_SINGLE, &n)) != MPI_SUCCESS || (code = MPI_T_cvar_get_num(&n)) != MPI_SUCCESS)
        FAILS("after a finalize too many and an init, the interface answers code %d", code);
    MPI_T_finalize();
    if ((code = MPI_T_cvar_get_num(&n)) == MPI_SUCCESS)
        FAILS("after a finalize too many, an init and a finalize the interface is still up");
    HOLDS(1, "");
}
