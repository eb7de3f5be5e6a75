/* R193: Threads may query at the same time, if MPI_THREAD_MULTIPLE is provided. */
#include <pthread.h>
#include "conform.h"
static int n;
static void *query(void *result)
{
    char name[512];
    MPI_T_cvar_handle handle;
    for (int i = 0, count, found, bind; i < n; i++) {
        if (MPI_T_cvar_get_info(i, name, &(int){sizeof name}, 0, 0, 0, 0, 0, &bind, 0) != MPI_SUCCESS
            || bind != MPI_T_BIND_NO_OBJECT || MPI_T_cvar_handle_alloc(i, NULL, &handle, &count) || count > 4096)
            continue;
        if (MPI_T_cvar_handle_free(&handle) || MPI_T_cvar_get_index(name, &found) || found != i)
            strcpy(result, name);
    }
    return result;
}
int main(void)
{
    int provided = MPI_THREAD_SINGLE;
    pthread_t threads[4];
    static char results[4][512];
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &(int){0});
    MPI_T_cvar_get_num(&n);
    for (int i = 0; i < 4 && provided == MPI_THREAD_MULTIPLE; i++)
        pthread_create(&threads[i], NULL, query, results[i]);
    for (int i = 0; i < 4 && provided == MPI_THREAD_MULTIPLE; i++)
        if (pthread_join(threads[i], NULL) == 0 && *results[i])
            FAILS("of four threads at once, one gets an error from %s", results[i]);
    HOLDS(provided == MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE");
}
