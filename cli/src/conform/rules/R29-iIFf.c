/* R29: No balanced order of init and finalize crashes: MPI within the interface. */
#include "conform.h"
#include "order.h"

/* I: MPI_Init, F: MPI_Finalize, i: MPI_T_init_thread, f: MPI_T_finalize */
int main(void)
{
    return order("iIFf");
}
