/* R5: The interface can be used before MPI_Init. */
#include "conform.h"
#include "texts.h"
int main(void)
{
    int stamp, code, works[KINDS] = {0};
    char name[256];
    MPI_T_init_thread(MPI_THREAD_SINGLE, &(int){0});
    if ((code = MPI_T_category_changed(&stamp)) != MPI_SUCCESS)
        FAILS("MPI_T_category_changed answers code %d before MPI_Init", code);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < number(kind); i++)
            works[kind] += texts(kind, i, name, &(int){sizeof name}, NULL, NULL) == MPI_SUCCESS;
        if (number(kind) && !works[kind])
            FAILS("no %s of %d answers a query before MPI_Init", kinds[kind], number(kind));
    }
    HOLDS(works[CVAR] + works[PVAR] + works[CATEGORY], "variables or categories before MPI_Init");
}
