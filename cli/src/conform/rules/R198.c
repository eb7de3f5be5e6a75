/* R198: No category contains itself, at any depth. */
#include "conform.h"
static int n;
static char *state;
/* Follows the categories in one; 1 is on the way, 2 is done. */
static int has_cycle(int at)
{
    int size = 0, cyclic = 0;
    MPI_T_category_get_info(at, 0, 0, 0, 0, 0, 0, &size);
    int *inner = calloc(size + 1, sizeof *inner);
    MPI_T_category_get_categories(at, size, inner);
    state[at] = 1;
    for (int i = 0; i < size && !cyclic; i++)
        if (inner[i] >= 0 && inner[i] < n)
            cyclic = state[inner[i]] == 1 || (state[inner[i]] == 0 && has_cycle(inner[i]));
    state[at] = 2;
    free(inner);
    return cyclic;
}
int main(void)
{
    INIT();
    MPI_T_category_get_num(&n);
    state = calloc(n + 1, 1);
    for (int i = 0; i < n; i++)
        if (state[i] == 0 && has_cycle(i))
            FAILS("category %d contains a category that contains itself", i);
    HOLDS(n, "categories");
}
