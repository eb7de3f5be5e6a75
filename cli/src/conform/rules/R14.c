/* R14: The number of variables and of categories never falls during a run. */
#include "conform.h"
#include "texts.h"
static const char *const steps[] = {"the first init", "MPI_Init", "a duplicate of MPI_COMM_WORLD", "MPI_Finalize"};
int main(void)
{
    int before[KINDS] = {0};
    MPI_Comm comm;
    for (int step = 0; step < 4; step++) {
        step == 0   ? MPI_T_init_thread(MPI_THREAD_SINGLE, &(int){0})
        : step == 1 ? MPI_Init(NULL, NULL)
        : step == 2 ? MPI_Comm_dup(MPI_COMM_WORLD, &comm)
                    : MPI_Finalize();
        for (int kind = 0; kind < KINDS; kind++) {
            if (number(kind) < before[kind])
                FAILS("%d, after %s %d: %s", before[kind], steps[step], number(kind), kinds[kind]);
            before[kind] = number(kind);
        }
    }
    HOLDS(1, "");
}
