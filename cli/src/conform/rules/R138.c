/* R138: A new session is not null and differs from all others. */
#include "conform.h"
int main(void)
{
    enum { MANY = 64 };
    MPI_T_pvar_session all[MANY];
    INIT();
    for (int i = 0; i < MANY; i++) {
        int code = MPI_T_pvar_session_create(&all[i]);
        if (code != MPI_SUCCESS || all[i] == MPI_T_PVAR_SESSION_NULL)
            FAILS("session %d is %p, code %d", i, (void *)all[i], code);
        for (int before = 0; before < i; before++)
            if (all[before] == all[i])
                FAILS("sessions %d and %d are equal", before, i);
    }
    HOLDS(1, "");
}
