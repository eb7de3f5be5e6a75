/* R211: A higher update number means that categories were added or got members. [advice] */
#include "conform.h"
#include "snapshot.h"
int main(void)
{
    MPI_T_init_thread(MPI_THREAD_SINGLE, &(int){0});
    look();
    for (int step = 0; step < 3; step++) {
        const int before = stamp, known = categories, old = members;
        step == 0 ? MPI_Init(NULL, NULL) : step == 1 ? MPI_T_init_thread(MPI_THREAD_SINGLE, &(int){0}) : MPI_Finalize();
        look();
        if (stamp > before && categories <= known && members <= old)
            FAILS("the update number grows from %d to %d, and nothing is added: %s", before, stamp,
                  step == 0 ? "MPI_Init" : step == 1 ? "a further init" : "MPI_Finalize");
    }
    HOLDS(members, "categories with members");
}
