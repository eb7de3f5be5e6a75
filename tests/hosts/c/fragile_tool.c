/* A library that has a function of the name by which TAU is recognized. */
int Tau_mpi_t_initialize(void);

int Tau_mpi_t_initialize(void)
{
    return 0;
}
