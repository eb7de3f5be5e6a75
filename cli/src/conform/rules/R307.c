/* R307: MPI_Pcontrol does nothing and succeeds, with any level and further arguments. */
#include "conform.h"
int main(void)
{
    INIT();
    for (int level = -1; level < 4; level++)
        if (MPI_Pcontrol(level) != MPI_SUCCESS || MPI_Pcontrol(level, "text", 7, 0.5) != MPI_SUCCESS)
            FAILS("MPI_Pcontrol of level %d does not succeed", level);
    HOLDS(1, "");
}
