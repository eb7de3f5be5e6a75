/* A program in C with a static library in Rust that defines a variable. */
#include "mpi.h"

#include <stdio.h>

void linked_make(unsigned long long widgets);

int main(int argc, char **argv)
{
    int provided, index, count;
    unsigned long long value = 0;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Init(&argc, &argv);
    int visible = !MPI_T_pvar_get_index("linked_widgets", MPI_T_PVAR_CLASS_COUNTER, &index);
    if (visible && (MPI_T_pvar_session_create(&session) || MPI_T_pvar_handle_alloc(session, index, 0, &handle, &count) ||
                    MPI_T_pvar_start(session, handle)))
        return 1;
    linked_make(5);
    if (visible && MPI_T_pvar_read(session, handle, &value))
        return 2;
    printf("linked: %s %llu\n", visible ? "true" : "false", value);
    MPI_T_finalize();
    return MPI_Finalize();
}
