/* R55: The four callback safety levels ascend. [MPI 4.0] */
#include "conform.h"
static const int all[] = {MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_T_CB_REQUIRE_THREAD_SAFE,
                          MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE};
int main(void)
{
    for (int i = 1; i < 4; i++)
        if (all[i - 1] >= all[i])
            FAILS("level %d of 4 is %d, and the next one %d", i, all[i - 1], all[i]);
    HOLDS(1, "");
}
