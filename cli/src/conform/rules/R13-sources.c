/* R13: An index out of range gives INVALID_INDEX: queries of sources. [MPI 4.0] */
#include <limits.h>
#include "conform.h"
#define REQUIRE(call)                           \
    if ((code = call) != MPI_T_ERR_INVALID_INDEX) \
    FAILS("with i = %d of %d, %s answers code %d", i, n, #call, code)
int main(void)
{
    int code, n;
    char name[64];
    int size = 0;
    MPI_T_source_order order;
    MPI_Count ticks;
    INIT();
    MPI_T_source_get_num(&n);
    const int invalid[] = {n, -1, INT_MAX, INT_MIN};
    for (int at = 0; at < 4; at++) {
        const int i = invalid[at];
        printf("i = %d of %d\n", i, n), fflush(stdout);
        REQUIRE(MPI_T_source_get_info(i, name, &size, name, &size, &order, &ticks, &ticks, NULL));
        REQUIRE(MPI_T_source_get_timestamp(i, &ticks));
    }
    HOLDS(1, "");
}
