/* R20: A further init changes nothing but the count: sessions, numbers and the update number stay. */
#include "conform.h"
#include "texts.h"
int main(void)
{
    int before[KINDS + 1], code;
    MPI_T_pvar_session session;
    INIT();
    MPI_T_pvar_session_create(&session);
    for (int kind = 0; kind < KINDS; kind++)
        before[kind] = number(kind);
    MPI_T_category_changed(&before[KINDS]);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &(int){0});
    for (int kind = 0; kind < KINDS; kind++)
        if (number(kind) != before[kind])
            FAILS("%d, after a further init %d: %s", before[kind], number(kind), kinds[kind]);
    int stamp = 0;
    MPI_T_category_changed(&stamp);
    if (stamp != before[KINDS])
        FAILS("a further init changes the update number from %d to %d", before[KINDS], stamp);
    if ((code = MPI_T_pvar_session_free(&session)) != MPI_SUCCESS)
        FAILS("after a further init, MPI_T_pvar_session_free answers code %d", code);
    HOLDS(1, "");
}
