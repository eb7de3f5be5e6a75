/* R110: A COUNTER is one of the three unsigned types, and no double. */
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
            && class == MPI_T_PVAR_CLASS_COUNTER) {
            tried++;
            if (type != MPI_UNSIGNED && type != MPI_UNSIGNED_LONG && type != MPI_UNSIGNED_LONG_LONG)
                FAILS("%s, of class %d, has another datatype", name, class);
        }
    HOLDS(tried, "COUNTER");
}
