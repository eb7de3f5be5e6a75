/* R24: The level provided is one of the four thread levels, whatever was required. */
#include "conform.h"
static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
int main(void)
{
    /* Each init is nested in those before it. */
    for (int i = 0; i < 4; i++) {
        int provided = -77, at = 0;
        MPI_T_init_thread(levels[i], &provided);
        while (at < 4 && provided != levels[at])
            at++;
        if (at == 4)
            FAILS("init %d of 4 returns %d for the level provided, after it was set to -77", i + 1, provided);
    }
    HOLDS(1, "");
}
