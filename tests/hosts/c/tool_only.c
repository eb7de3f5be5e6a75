/* A tool that calls only MPI_T, so that a linker may drop the MPI library as unused. */
#include <mpit.h>

#include <stdio.h>

int main(void)
{
    int provided, num = 0, bind = 0, before = MPI_T_cvar_get_num(&num), no_index, last;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS || MPI_T_cvar_get_num(&num) != MPI_SUCCESS)
        return 1;
    no_index = MPI_T_cvar_get_info(num + 100, 0, 0, 0, 0, 0, 0, 0, &bind, 0);
    last = MPI_T_finalize();
    printf("%d %d %d %d\n", before == MPI_T_ERR_NOT_INITIALIZED, no_index == MPI_T_ERR_INVALID_INDEX, last == MPI_SUCCESS,
           num > 100);
    return 0;
}
