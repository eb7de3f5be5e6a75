/* Calls functions with string arguments by their Fortran names, and Open MPI 4's persistent collective operations, which only
 * the library's Fortran interface defines; it calls their PMPI_ functions.
 *
 *     fortran_strings DIRECTORY        (2 processes)
 */
#include "checks.h"
#include "expected_rows.h"

enum { PROCESSES = 2 };
typedef MPI_Fint *in;

void mpi_comm_set_name_(in comm, const char *name, in error, size_t len);
void mpi_file_open_(in comm, const char *name, in mode, in info, in file, in error, size_t len);
void mpi_file_set_view_(in file, MPI_Offset *at, in type, in filetype, const char *form, in info, in error, size_t len);
void mpi_file_get_view_(in file, MPI_Offset *at, in type, in filetype, char *form, in error, size_t len);
void mpi_file_close_(in file, in error);
void mpi_file_delete_(const char *name, in info, in error, size_t len);
void mpix_allreduce_init_(void *out, void *into, in count, in type, in op, in comm, in info, in request, in error);

static unsigned long long io_calls(void)
{
    static MPI_T_pvar_handle handle;
    unsigned long long calls = 0;

    if (!handle) {
        start_tool();
        handle = started(session, "calls_io_count", MPI_T_PVAR_CLASS_COUNTER, NULL, 1);
        require(!failures, "a handle for calls about files");
    }
    require(MPI_T_pvar_read(session, handle, &calls) == MPI_SUCCESS, "MPI_T_pvar_read");
    return calls;
}

int main(int argc, char **argv)
{
    char name[64], form[16];
    int data = 1, sum = 0;
    MPI_Fint error = -1, file = 0, self, comm, info, type, got_type, got_filetype,
             mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    MPI_Offset at = 0, got_at = -1;
    MPI_Comm both;

    open_expected_rows(&argc, &argv, PROCESSES);
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &both);
    comm = MPI_Comm_c2f(both);
    info = MPI_Info_c2f(MPI_INFO_NULL);
    type = MPI_Type_c2f(MPI_INT);
    self = MPI_Comm_c2f(MPI_COMM_SELF);
    mpi_comm_set_name_(&comm, "from_Fortran", &error, 12);
    require(error == MPI_SUCCESS, "set_name");
    MPI_Allreduce(&data, &sum, 1, MPI_INT, MPI_SUM, both);
    expect_collective("A2A", "from_Fortran", 1, INT);

    unsigned long long before = io_calls();
    int len = snprintf(name, sizeof name, "file.%d", world_rank);
    mpi_file_open_(&self, name, &mode, &info, &file, &error, len);
    require(error == MPI_SUCCESS, "open");
    mpi_file_set_view_(&file, &at, &type, &type, "native", &info, &error, 6);
    require(error == MPI_SUCCESS, "set_view");
    mpi_file_get_view_(&file, &got_at, &got_type, &got_filetype, form, &error, sizeof form);
    require(error == MPI_SUCCESS && got_at == 0, "get_view");
    mpi_file_close_(&file, &error);
    require(error == MPI_SUCCESS, "close");
    mpi_file_delete_(name, &info, &error, len);
    require(error == MPI_SUCCESS, "delete");
    require(io_calls() - before == 5, "number of calls about files");

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
    MPI_Fint one = 1, op = MPI_Op_c2f(MPI_SUM), world = MPI_Comm_c2f(MPI_COMM_WORLD), made = 0;
    mpix_allreduce_init_(&data, &sum, &one, &type, &op, &world, &info, &made, &error);
    require(error == MPI_SUCCESS, "allreduce_init");
    MPI_Request request = MPI_Request_f2c(made);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    expect_collective("A2A", "MPI_COMM_WORLD", 1, INT);
#endif
    return close_expected_rows();
}
