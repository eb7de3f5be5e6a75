/* R63: A control variable with an enumeration is MPI_INT; ENUM_NULL is written for others. */
#include "conform.h"
int main(void)
{
    char name[256];
    int n, tried = 0;
    MPI_Datatype type;
    INIT();
    MPI_T_cvar_get_num(&n);
    for (int i = 0; i < n; i++) {
        MPI_T_enum items = (MPI_T_enum)&n;
        if (MPI_T_cvar_get_info(i, name, &(int){sizeof name}, 0, &type, &items, 0, 0, 0, 0) != MPI_SUCCESS)
            continue;
        if (items == (MPI_T_enum)&n)
            FAILS("no enumeration is written for %s", name);
        if (items != MPI_T_ENUM_NULL && type != MPI_INT)
            FAILS("%s has an enumeration, and is not MPI_INT", name);
        tried++;
    }
    HOLDS(tried, "control variables");
}
