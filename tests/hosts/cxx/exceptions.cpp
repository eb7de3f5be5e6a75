// Leaves error handlers by exceptions, and goes on. Everything is recorded all the same.
#include "../c/expected_rows.h"

static MPI_Comm comm;
static int block;

// A message to this process itself.
static void to_itself()
{
    int received;

    MPI_Sendrecv(&block, 1, MPI_INT, world_rank, 5, &received, 1, MPI_INT, world_rank, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect("E", world_rank, 1, sizeof(int));
}

static void handler(MPI_Comm *, int *code, ...)
{
    to_itself();
    throw *code;
}

template <typename Call> static void fails(Call call)
{
    int caught = 0;

    try {
        call();
    } catch (int) {
        caught = 1;
    }
    require(caught, "an exception");
    to_itself();
}

int main(int argc, char **argv)
{
    MPI_Errhandler errhandler;

    open_expected_rows(&argc, &argv, 1);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_errhandler(handler, &errhandler);
    MPI_Comm_set_errhandler(comm, errhandler);
    fails([] { MPI_Send(&block, 1, MPI_INT, 1000, 0, comm); });
    fails([] { MPI_Bcast(&block, 1, MPI_INT, 1000, comm); });
    MPI_Errhandler_free(&errhandler);
    MPI_Comm_free(&comm);
    close_expected_rows();
    return EXIT_SUCCESS;
}
