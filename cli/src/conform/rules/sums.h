#define IS_COUNT (class == MPI_T_PVAR_CLASS_COUNTER || class == MPI_T_PVAR_CLASS_AGGREGATE)
#define ACT() MPI_Sendrecv(zero, 1, MPI_INT, 0, 0, zero + 64, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE)
