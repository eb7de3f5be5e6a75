/* R195: Names of categories are not empty and unique. */
#include "conform.h"
static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}
int main(void)
{
    int n, known = 0;
    INIT();
    MPI_T_category_get_num(&n);
    char (*names)[512] = calloc(n + 1, sizeof *names);
    for (int i = 0; i < n; i++)
        if (MPI_T_category_get_info(i, names[known], &(int){512}, 0, 0, 0, 0, 0) == MPI_SUCCESS && !*names[known++])
            FAILS("the name of category %d is empty", i);
    qsort(names, known, sizeof *names, compare);
    for (int i = 1; i < known; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            FAILS("two categories are called %s", names[i]);
    HOLDS(known, "categories");
}
