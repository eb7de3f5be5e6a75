/* R100: The description of a control variable that several processes must set is not empty. */
#include "conform.h"
int main(void)
{
    int n, scope, tried = 0, empty = 0;
    char name[256], desc[4096], example[256] = "";
    INIT();
    MPI_T_cvar_get_num(&n);
    for (int i = 0; i < n; i++) {
        *desc = 0;
        if (MPI_T_cvar_get_info(i, name, &(int){256}, 0, 0, 0, desc, &(int){4096}, 0, &scope) == MPI_SUCCESS)
            if (scope == MPI_T_SCOPE_GROUP || scope == MPI_T_SCOPE_GROUP_EQ) {
                tried++;
                if (!*desc && !empty++)
                    strcpy(example, name);
            }
    }
    if (empty)
        FAILS("%d of %d, such as %s", empty, tried, example);
    HOLDS(tried, "control variables of scope GROUP or GROUP_EQ");
}
