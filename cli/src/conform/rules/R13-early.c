/* R13: An index out of range gives INVALID_INDEX, also before MPI_Init. */
#include "conform.h"
#define REQUIRE(call)                             \
    if ((code = call) != MPI_T_ERR_INVALID_INDEX) \
    FAILS("before MPI_Init, with i = %d, %s answers code %d", i, #call, code)
int main(void)
{
    int code, n;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &n);
    for (int i = -1; i > -3; i--) {
        printf("before MPI_Init, i = %d\n", i), fflush(stdout);
        REQUIRE(MPI_T_cvar_get_info(i, 0, 0, 0, 0, 0, 0, 0, 0, 0));
        REQUIRE(MPI_T_pvar_get_info(i, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
        REQUIRE(MPI_T_category_get_info(i, 0, 0, 0, 0, 0, 0, 0));
    }
    HOLDS(1, "");
}
