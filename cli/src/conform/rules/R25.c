/* R25: The level provided is one of the four. */
#include "conform.h"
int main(void)
{
    int tried = 0, provided = -77, code = MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    /* A tool can have another level than MPI_Init_thread provides, so that the two are not compared. */
    for (int i = 0; code == MPI_SUCCESS && i < 4; i++)
        tried |= provided == levels[i];
    if (code == MPI_SUCCESS && !tried)
        FAILS("MPI_T_init_thread provides %d, which is none of the levels", provided);
    HOLDS(tried, "tools interface that can be initialized");
}
