/* R13: An index out of range gives INVALID_INDEX: members of categories. */
#include <limits.h>
#include "conform.h"
#define REQUIRE(call)                           \
    if ((code = call) != MPI_T_ERR_INVALID_INDEX) \
    FAILS("with i = %d of %d, %s answers code %d", i, n, #call, code)
int main(void)
{
    int code, n;
    int member;
    INIT();
    MPI_T_category_get_num(&n);
    const int invalid[] = {n, -1, INT_MAX, INT_MIN};
    for (int at = 0; at < 4; at++) {
        const int i = invalid[at];
        printf("i = %d of %d\n", i, n), fflush(stdout);
        REQUIRE(MPI_T_category_get_cvars(i, 1, &member));
        REQUIRE(MPI_T_category_get_pvars(i, 1, &member));
        REQUIRE(MPI_T_category_get_categories(i, 1, &member));
    }
    HOLDS(1, "");
}
