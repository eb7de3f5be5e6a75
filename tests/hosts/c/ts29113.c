/* The standard's Fortran interfaces with TS 29113: buffers are passed by descriptors, counts may have 64 bits, and the library
 * that defines them calls PMPI. With LIBRARY, this file is such a library, otherwise a program that uses it.
 *
 *     ts29113 DIRECTORY        (2 processes)
 */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct descriptor {
    void *address;
    size_t rest[8];
};
typedef struct descriptor *buffer;
typedef const MPI_Fint *in;
typedef const int64_t *count;

void mpi_send_f08ts_(buffer, in, in, in, in, in, MPI_Fint *);
void mpi_send_c_f08ts_(buffer, count, in, in, in, in, MPI_Fint *);
void mpi_alltoallv_c_f08ts_(buffer, count, count, in, buffer, count, count, in, in, MPI_Fint *);

#ifdef LIBRARY

/* By this function, mpit identifies a library of Fortran interfaces, whose calls by PMPI_ names are not recorded. */
void pmpi_init_f08_(MPI_Fint *error);
void pmpi_init_f08_(MPI_Fint *error)
{
    *error = PMPI_Init(NULL, NULL);
}

void mpi_send_f08ts_(buffer buf, in n, in type, in to, in tag, in comm, MPI_Fint *error)
{
    *error = PMPI_Send(buf->address, *n, MPI_Type_f2c(*type), *to, *tag, MPI_Comm_f2c(*comm));
}

void mpi_send_c_f08ts_(buffer buf, count n, in type, in to, in tag, in comm, MPI_Fint *error)
{
    *error = PMPI_Send(buf->address, (int)*n, MPI_Type_f2c(*type), *to, *tag, MPI_Comm_f2c(*comm));
}

void mpi_alltoallv_c_f08ts_(buffer out, count n, count at, in type, buffer back, count m, count to, in back_type, in comm,
                            MPI_Fint *error)
{
    const int counts[2] = {(int)n[0], (int)n[1]}, places[2] = {(int)at[0], (int)at[1]};
    const int back_counts[2] = {(int)m[0], (int)m[1]}, back_places[2] = {(int)to[0], (int)to[1]};
    *error = PMPI_Alltoallv(out->address, counts, places, MPI_Type_f2c(*type), back->address, back_counts, back_places,
                            MPI_Type_f2c(*back_type), MPI_Comm_f2c(*comm));
}

#else

#include "expected_rows.h"

enum { PROCESSES = 2, TAG = 7 };

int main(int argc, char **argv)
{
    int data[8] = {0}, back[8];
    struct descriptor out = {data, {sizeof(int)}}, into = {back, {sizeof(int)}};
    MPI_Fint error = -1;
    const MPI_Fint tag = TAG, three = 3;
    const int64_t five = 5, counts[2] = {4, 4}, places[2] = {0, 4};

    open_expected_rows(&argc, &argv, PROCESSES);
    const int other = 1 - world_rank;
    const MPI_Fint world = MPI_Comm_c2f(MPI_COMM_WORLD), type = MPI_Type_c2f(MPI_INT), to = other;
    MPI_Request requests[2];

    for (int i = 0; i < 2; i++)
        MPI_Irecv(back, 8, MPI_INT, other, TAG, MPI_COMM_WORLD, &requests[i]);
    mpi_send_f08ts_(&out, &three, &type, &to, &tag, &world, &error);
    require(error == MPI_SUCCESS, "send");
    expect("E", other, 1, 3 * INT);
    mpi_send_c_f08ts_(&out, &five, &type, &to, &tag, &world, &error);
    require(error == MPI_SUCCESS, "large send");
    expect("E", other, 1, 5 * INT);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    mpi_alltoallv_c_f08ts_(&out, counts, places, &type, &into, counts, places, &type, &world, &error);
    require(error == MPI_SUCCESS, "large alltoallv");
    expect_collective("A2A", "MPI_COMM_WORLD", 1, 4 * INT);
    return close_expected_rows();
}

#endif
