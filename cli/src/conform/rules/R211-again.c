/* R211: A higher update number means a change of categories, also after a finalize and a further init. [advice] */
#include "conform.h"
#include "snapshot.h"
int main(void)
{
    INIT();
    look();
    const int before = stamp, hash_before = hash;
    MPI_T_finalize();
    MPI_T_init_thread(MPI_THREAD_SINGLE, &(int){0});
    look();
    if (stamp > before && hash == hash_before)
        FAILS("the update number grows from %d to %d, and no category changes", before, stamp);
    HOLDS(members, "categories with members");
}
