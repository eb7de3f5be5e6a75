/* R229: Names of event types are not empty and unique. [MPI 4.0] */
#include "conform.h"
static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}
int main(void)
{
    int n, known = 0;
    INIT();
    MPI_T_event_get_num(&n);
    char (*names)[512] = calloc(n + 1, sizeof *names);
    for (int i = 0; i < n; i++)
        if (MPI_T_event_get_info(i, names[known], &(int){512}, 0, 0, 0, 0, 0, 0, 0, 0, 0) == MPI_SUCCESS && !*names[known++])
            FAILS("the name of event type %d is empty", i);
    qsort(names, known, sizeof *names, compare);
    for (int i = 1; i < known; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            FAILS("two event types are called %s", names[i]);
    HOLDS(known, "event types");
}
