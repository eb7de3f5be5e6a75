/* R200: Lists of categories grow only at their end. */
#include "conform.h"
enum { CAPACITY = 4096 };
static int (*const list[])(int, int, int *) = {MPI_T_category_get_cvars, MPI_T_category_get_pvars,
                                               MPI_T_category_get_categories};
static int get(int i, int kind, int *members)
{
    int sizes[3] = {0};
    if (MPI_T_category_get_info(i, 0, 0, 0, 0, &sizes[0], &sizes[1], &sizes[2]) || list[kind](i, CAPACITY, members))
        return 0;
    return sizes[kind] < CAPACITY ? sizes[kind] : CAPACITY;
}
int main(void)
{
    int n, now[CAPACITY], tried = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &n);
    MPI_T_category_get_num(&n);
    int (*before)[3][CAPACITY] = calloc(n + 1, sizeof *before), (*sizes)[3] = calloc(n + 1, sizeof *sizes);
    for (int i = 0; i < n; i++)
        for (int kind = 0; kind < 3; kind++)
            sizes[i][kind] = get(i, kind, before[i][kind]);
    MPI_Init(NULL, NULL);
    for (int i = 0; i < n; i++)
        for (int kind = 0; kind < 3; kind++)
            if (sizes[i][kind] && ++tried)
                if (get(i, kind, now) < sizes[i][kind] || memcmp(now, before[i][kind], sizes[i][kind] * sizeof *now))
                    FAILS("MPI_Init removes members of category %d, changes their order, or its query fails", i);
    HOLDS(tried, "categories with members before MPI_Init");
}
