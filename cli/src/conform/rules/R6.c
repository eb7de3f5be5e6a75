/* R6: Queries can be used after MPI_Finalize, while the interface is up. */
#include "conform.h"
#include "texts.h"
int main(void)
{
    int stamp, code, works[KINDS] = {0};
    char name[256];
    INIT();
    MPI_Finalize();
    if ((code = MPI_T_category_changed(&stamp)) != MPI_SUCCESS)
        FAILS("MPI_T_category_changed answers code %d after MPI_Finalize", code);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < number(kind); i++)
            works[kind] += texts(kind, i, name, &(int){sizeof name}, NULL, NULL) == MPI_SUCCESS;
        if (number(kind) && !works[kind])
            FAILS("no %s of %d answers a query after MPI_Finalize", kinds[kind], number(kind));
    }
    HOLDS(works[CVAR] + works[PVAR] + works[CATEGORY], "variables or categories after MPI_Finalize");
}
