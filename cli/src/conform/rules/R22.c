/* R22: The interface can be brought up again after it was down. */
#include "conform.h"
#include "texts.h"
int main(void)
{
    int code, n;
    char name[256];
    INIT();
    MPI_T_finalize();
    if ((code = MPI_T_init_thread(MPI_THREAD_SINGLE, &n)) != MPI_SUCCESS)
        FAILS("the second init answers code %d", code);
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < number(kind); i++)
            texts(kind, i, name, &(int){sizeof name}, NULL, NULL);
    if ((code = MPI_T_cvar_get_num(&n)) != MPI_SUCCESS)
        FAILS("after the second init, MPI_T_cvar_get_num answers code %d", code);
    HOLDS(1, "");
}
