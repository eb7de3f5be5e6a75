/* R107: A STATE is MPI_INT. */
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
            && class == MPI_T_PVAR_CLASS_STATE) {
            tried++;
            if (type != MPI_INT)
                FAILS("%s, of class %d, has another datatype", name, class);
        }
    HOLDS(tried, "STATE");
}
