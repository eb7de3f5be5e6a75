/* R4: No call waits for another process. [2 processes] */
#include "conform.h"
#include "texts.h"
int main(void)
{
    int rank, indices[1];
    char name[256], desc[256];
    MPI_T_pvar_session session;
    INIT();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* The others wait in the barrier; if a call needs one of them, this program does not end. */
    for (int kind = 0; rank == 0 && kind < KINDS; kind++)
        for (int i = 0; i < number(kind); i++) {
            texts(kind, i, name, &(int){sizeof name}, desc, &(int){sizeof desc});
            if (kind == CATEGORY)
                MPI_T_category_get_cvars(i, 1, indices);
        }
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_session_free(&session);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_T_finalize();
    MPI_Finalize();
    HOLDS(1, "");
}
