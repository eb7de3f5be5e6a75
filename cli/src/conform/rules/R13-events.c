/* R13: An index out of range gives INVALID_INDEX: queries of event types. [MPI 4.0] */
#include <limits.h>
#include "conform.h"
#define REQUIRE(call)                           \
    if ((code = call) != MPI_T_ERR_INVALID_INDEX) \
    FAILS("with i = %d of %d, %s answers code %d", i, n, #call, code)
int main(void)
{
    int code, n;
    char name[64];
    int size = 0, bind;
    MPI_T_event_registration registration;
    INIT();
    MPI_T_event_get_num(&n);
    const int invalid[] = {n, -1, INT_MAX, INT_MIN};
    for (int at = 0; at < 4; at++) {
        const int i = invalid[at];
        printf("i = %d of %d\n", i, n), fflush(stdout);
        REQUIRE(MPI_T_event_get_info(i, name, &size, &bind, 0, 0, &size, 0, 0, name, &size, &bind));
        REQUIRE(MPI_T_event_handle_alloc(i, NULL, MPI_INFO_NULL, &registration));
    }
    HOLDS(1, "");
}
