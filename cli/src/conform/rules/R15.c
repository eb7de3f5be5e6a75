/* R15: An index stands for the same name for the whole run. */
#include "conform.h"
#include "texts.h"
int main(void)
{
    char (*names[KINDS])[256], now[256];
    int n[KINDS], tried = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &(int){0});
    for (int kind = 0; kind < KINDS; kind++) {
        names[kind] = calloc(256, 1 + (n[kind] = number(kind)));
        for (int i = 0; i < n[kind]; i++)
            texts(kind, i, names[kind][i], &(int){256}, NULL, NULL);
    }
    MPI_Init(NULL, NULL);
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < n[kind]; i++)
            if (*names[kind][i] && texts(kind, i, now, &(int){256}, NULL, NULL) == MPI_SUCCESS && ++tried)
                if (strcmp(names[kind][i], now) != 0)
                    FAILS("%s %d is %s, and after MPI_Init %s", kinds[kind], i, names[kind][i], now);
    HOLDS(tried, "variables before MPI_Init");
}
