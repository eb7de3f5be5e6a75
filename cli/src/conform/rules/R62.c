/* R62: The datatype returned before MPI_Init is the one that works after it. */
#include "conform.h"
int main(void)
{
    int n, tried = 0, bytes;
    MPI_Datatype *before, after;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &n);
    MPI_T_cvar_get_num(&n);
    before = calloc(n + 1, sizeof *before);
    for (int i = 0; i < n; i++)
        if (MPI_T_cvar_get_info(i, 0, 0, 0, &before[i], 0, 0, 0, 0, 0) != MPI_SUCCESS)
            before[i] = MPI_DATATYPE_NULL;
    MPI_Init(NULL, NULL);
    for (int i = 0; i < n; i++)
        if (before[i] != MPI_DATATYPE_NULL
            && MPI_T_cvar_get_info(i, 0, 0, 0, &after, 0, 0, 0, 0, 0) == MPI_SUCCESS && ++tried)
            if (before[i] != after || MPI_Type_size(before[i], &bytes) != MPI_SUCCESS)
                FAILS("the datatype of control variable %d is another one after MPI_Init", i);
    HOLDS(tried, "control variables before MPI_Init");
}
