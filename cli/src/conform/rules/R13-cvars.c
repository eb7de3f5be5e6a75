/* R13: An index out of range gives INVALID_INDEX: queries of control variables. */
#include <limits.h>
#include "conform.h"
#define REQUIRE(call)                           \
    if ((code = call) != MPI_T_ERR_INVALID_INDEX) \
    FAILS("with i = %d of %d, %s answers code %d", i, n, #call, code)
int main(void)
{
    int code, n;
    INIT();
    MPI_T_cvar_get_num(&n);
    const int invalid[] = {n, -1, INT_MAX, INT_MIN};
    for (int at = 0; at < 4; at++) {
        const int i = invalid[at];
        printf("i = %d of %d\n", i, n), fflush(stdout);
        REQUIRE(MPI_T_cvar_get_info(i, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    }
    HOLDS(1, "");
}
