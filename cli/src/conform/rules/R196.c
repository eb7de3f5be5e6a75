/* R196: A query of a category may leave out every output. */
#include "conform.h"
int main(void)
{
    int n, tried = 0;
    char name[512];
    INIT();
    MPI_T_category_get_num(&n);
    for (int i = 0; i < n; i++) {
        if (MPI_T_category_get_info(i, name, &(int){sizeof name}, 0, 0, 0, 0, 0) != MPI_SUCCESS)
            continue;
        tried++;
        int code = MPI_T_category_get_info(i, 0, 0, 0, 0, 0, 0, 0);
        if (code != MPI_SUCCESS)
            FAILS("a query of %s without outputs answers code %d", name, code);
    }
    HOLDS(tried, "categories");
}
