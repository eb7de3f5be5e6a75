/* R230: Unknown names of event types give INVALID_NAME. [MPI 4.0] */
#include "conform.h"
int main(void)
{
    int i, code;
    const char *const others[] = {"no such name", ""};
    INIT();
    for (int at = 0; at < 2; at++)
        if ((code = MPI_T_event_get_index(others[at], &i)) != MPI_T_ERR_INVALID_NAME)
            FAILS("the name '%s' gives code %d", others[at], code);
    HOLDS(1, "");
}
