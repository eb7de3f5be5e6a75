/* R120: Counters and timers are 0 in a new handle, whatever happened before. [2 processes] */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    int rank, all = PVARS(), wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (double begin = MPI_Wtime(); rank == 1 && MPI_Wtime() < begin + 0.1;); /* Libraries time the wait of process 0. */
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < all && !wrong; i++)
        if (opened(i, other, &second) && (class == MPI_T_PVAR_CLASS_COUNTER || class == MPI_T_PVAR_CLASS_TIMER))
            if ((continuous || !MPI_T_pvar_start(other, second)) && !MPI_T_pvar_read(other, second, value)
                && !MPI_T_pvar_read(other, second, again) && ++tried) /* One that runs meanwhile may be above 0. */
                wrong = type == MPI_DOUBLE ? *(double *)value > 0.05
                                           : memcmp(value, zero, bytes) && !memcmp(value, again, bytes);
    MPI_Finalize();
    wrong ? FAILS("%s is %g in a new handle", name, type == MPI_DOUBLE ? *(double *)value : *(unsigned *)value)
          : HOLDS(rank || tried, "counters or timers with a value");
}
