/* R112: MPI_INT is for STATE and GENERIC performance variables, MPI_CHAR and MPI_COUNT for GENERIC ones. */
#include "conform.h"
int main(void)
{
    int n, class, tried = 0;
    char name[256];
    MPI_Datatype type;
    INIT();
    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n; i++)
        if (MPI_T_pvar_get_info(i, name, &(int){sizeof name}, 0, &class, &type, 0, 0, 0, 0, 0, 0, 0) == MPI_SUCCESS
            && (type == MPI_INT || type == MPI_CHAR || type == MPI_COUNT)) {
            tried++;
            if (class != MPI_T_PVAR_CLASS_GENERIC && (class != MPI_T_PVAR_CLASS_STATE || type != MPI_INT))
                FAILS("%s, of class %d, has another datatype", name, class);
        }
    HOLDS(tried, "performance variables of these datatypes");
}
