/* R210: The update number grows with the members of categories. */
#include "conform.h"
#include "snapshot.h"
int main(void)
{
    MPI_T_init_thread(MPI_THREAD_SINGLE, &(int){0});
    look();
    for (int step = 0; step < 3; step++) {
        const int before = stamp, old = members;
        step == 0 ? MPI_Init(NULL, NULL) : step == 1 ? MPI_T_init_thread(MPI_THREAD_SINGLE, &(int){0}) : MPI_Finalize();
        look();
        if (stamp <= before && members > old)
            FAILS("members grow from %d to %d, and the update number stays %d: %s", old, members, stamp,
                  step == 0 ? "MPI_Init" : step == 1 ? "a further init" : "MPI_Finalize");
    }
    HOLDS(members, "categories with members");
}
