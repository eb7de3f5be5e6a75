/* R208: While the update number stays, so do all answers for categories. */
#include "conform.h"
#include "snapshot.h"
int main(void)
{
    MPI_T_init_thread(MPI_THREAD_SINGLE, &(int){0});
    look();
    for (int step = 0; step < 3; step++) {
        const int before = stamp, hash_before = hash;
        step == 0 ? MPI_Init(NULL, NULL) : step == 1 ? MPI_T_init_thread(MPI_THREAD_SINGLE, &(int){0}) : MPI_Finalize();
        look();
        if (stamp == before && hash != hash_before)
            FAILS("categories change, and the update number stays %d: %s", stamp,
                  step == 0 ? "MPI_Init" : step == 1 ? "a further init" : "MPI_Finalize");
    }
    HOLDS(members, "categories with members");
}
