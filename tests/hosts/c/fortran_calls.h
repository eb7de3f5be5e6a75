/* Calls of Fortran by a program in C. Included by measured_calls.c, whose buffers and `add` it uses.
 *
 * The C header of the standard ABI has no types and conversions for Fortran, so there are no such calls with it. */
#ifdef MPI_ABI_VERSION

static void add_fortran_calls(void) {}

#else

/* The names of `mpif.h`. Null without the library's interface for Fortran. */
#pragma weak mpi_irecv_
#pragma weak mpi_isend_
#pragma weak mpi_wait_
#pragma weak mpi_barrier_
#pragma weak mpi_allreduce_
void mpi_irecv_(void *buf, MPI_Fint *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm,
                MPI_Fint *request, MPI_Fint *error);
void mpi_isend_(void *buf, MPI_Fint *count, MPI_Fint *type, MPI_Fint *dest, MPI_Fint *tag, MPI_Fint *comm,
                MPI_Fint *request, MPI_Fint *error);
void mpi_wait_(MPI_Fint *request, MPI_Fint *status, MPI_Fint *error);
void mpi_barrier_(MPI_Fint *comm, MPI_Fint *error);
void mpi_allreduce_(void *sendbuf, void *recvbuf, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm,
                    MPI_Fint *error);

/* The handles of Fortran, and the number of integers in a status of any library. */
static MPI_Fint world, self, bytes_type, double_type, sum;
enum { STATUS = 16 };

/* Four calls, like `message_to_itself`. */
static void fortran_message(void)
{
    MPI_Fint requests[2], status[STATUS], count = 8, rank = 0, tag = 7, error;
    mpi_irecv_(to, &count, &bytes_type, &rank, &tag, &world, &requests[0], &error);
    mpi_isend_(from, &count, &bytes_type, &rank, &tag, &world, &requests[1], &error);
    mpi_wait_(&requests[1], status, &error);
    mpi_wait_(&requests[0], status, &error);
}

static void fortran_barrier(void)
{
    MPI_Fint error;
    mpi_barrier_(&self, &error);
}

static void fortran_allreduce(void)
{
    double mine = 1, result;
    MPI_Fint count = 1, error;
    mpi_allreduce_(&mine, &result, &count, &double_type, &sum, &self, &error);
}

static void add_fortran_calls(void)
{
    if (!mpi_isend_)
        return;
    world = MPI_Comm_c2f(MPI_COMM_WORLD);
    self = MPI_Comm_c2f(MPI_COMM_SELF);
    bytes_type = MPI_Type_c2f(MPI_BYTE);
    double_type = MPI_Type_c2f(MPI_DOUBLE);
    sum = MPI_Op_c2f(MPI_SUM);
    add("fortran message", fortran_message);
    add("fortran barrier", fortran_barrier);
    add("fortran allreduce", fortran_allreduce);
}

#endif
