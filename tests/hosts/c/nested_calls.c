/* Makes MPI calls in callbacks of the library inside other calls, and leaves one callback by longjmp. All these calls belong to
 * the program and must be recorded.
 *
 *     nested_calls DIRECTORY     (2 processes)
 */
#include "expected_rows.h"
#include <setjmp.h>

enum { PROCESSES = 2, TIMES = 5 };

static jmp_buf back;
static int sent, received;

/* Sends a message of so many ints to this process. */
static void to_itself(int elements)
{
    static int from[64], to[64];

    MPI_Sendrecv(from, elements, MPI_INT, world_rank, 5, to, elements, MPI_INT, world_rank, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect("E", world_rank, 1, elements * INT);
}

static int copy(MPI_Comm comm, int keyval, void *extra, void *value, void *new, int *flag)
{
    *(void **)new = NULL;
    *flag = 1;
    to_itself(1);
    return MPI_SUCCESS;
}

static int deleted(MPI_Comm comm, int keyval, void *value, void *extra)
{
    to_itself(2);
    return MPI_SUCCESS;
}

static void handler(MPI_Comm *comm, int *code, ...)
{
    to_itself(4);
}

/* Compilers turn the last call into a jump: it returns to the library. */
__attribute__((optimize("O2", "optimize-sibling-calls"))) static int deleted_by_jump(MPI_Comm comm, int keyval, void *value,
                                                                                    void *extra)
{
    return MPI_Send(&sent, 1, MPI_INT, world_rank, 6, MPI_COMM_WORLD);
}

static void handler_that_leaves(MPI_Comm *comm, int *code, ...)
{
    to_itself(8);
    longjmp(back, 1);
}

static void sum(void *in, void *inout, int *len, MPI_Datatype *type)
{
    for (int i = 0; i < *len; i++) {
        ((int *)inout)[i] += ((int *)in)[i];
    }
    to_itself(16);
}

/* A call that fails, on a communicator with this handler. */
static void fail(MPI_Comm comm, MPI_Comm_errhandler_function *function)
{
    MPI_Errhandler errhandler;

    MPI_Comm_create_errhandler(function, &errhandler);
    MPI_Comm_set_errhandler(comm, errhandler);
    MPI_Errhandler_free(&errhandler);
    MPI_Bcast(&sent, 1, MPI_INT, 1000, comm);
}

static void fail_to_send(MPI_Comm comm)
{
    MPI_Send(&sent, 1, MPI_INT, 1000, 0, comm);
}

/* Recurses deeply before the call. */
static __attribute__((noinline)) int deep(int depth, MPI_Comm comm)
{
    volatile char frame[512];

    frame[0] = (char)depth;
    if (depth == 0) {
        fail_to_send(comm);
        return 0;
    }
    return deep(depth - 1, comm) + frame[0];
}

static __attribute__((noinline)) void leave_from_far_down(MPI_Comm comm)
{
    if (!setjmp(back)) {
        deep(20, comm);
    }
    to_itself(32);
}

int main(int argc, char **argv)
{
    int keyval, one = 1, total = 0;
    MPI_Comm comm, duplicate;
    MPI_Op op;

    open_expected_rows(&argc, &argv, PROCESSES);
    MPI_Comm_create_keyval(copy, deleted, &keyval, NULL);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank, 0, &comm);
    MPI_Comm_set_attr(comm, keyval, NULL);
    MPI_Comm_dup(comm, &duplicate);
    MPI_Comm_free(&duplicate);
    MPI_Comm_delete_attr(comm, keyval);

    fail(comm, handler);
    fail_to_send(comm);
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted_by_jump, &keyval, NULL);
    MPI_Comm_set_attr(comm, keyval, NULL);
    MPI_Comm_delete_attr(comm, keyval);
    expect("E", world_rank, 1, INT);
    MPI_Recv(&received, 1, MPI_INT, world_rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    /* Leaves a collective operation, and a send deep in the stack. */
    if (!setjmp(back)) {
        fail(comm, handler_that_leaves);
    }
    to_itself(32);
    leave_from_far_down(comm);
    leave_from_far_down(comm);

    MPI_Op_create(sum, 1, &op);
    MPI_Reduce_local(&one, &total, 1, MPI_INT, op);
    /* The later ones are counted like the first. */
    for (int i = 0; i < TIMES; i++) {
        MPI_Allreduce(&one, &total, 1, MPI_INT, op, MPI_COMM_WORLD);
        require(total == 2, "MPI_Allreduce");
    }
    expect_collective("A2A", "MPI_COMM_WORLD", TIMES, INT);
    MPI_Op_free(&op);
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&keyval);
    return close_expected_rows();
}
