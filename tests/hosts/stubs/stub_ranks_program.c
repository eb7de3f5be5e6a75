/* Creates communicators of many ranks and uses them. Prints for each step the calls and ranks that were requested of the
 * library in addition to the program's own, and the growth of the heap in bytes. */
#include "mpi.h"

#include <malloc.h>
#include <stdio.h>

#include "stub_ranks.h"

static size_t in_use;

/* Prints the counts since the last step, in which the program itself made so many calls. */
static void step(const char *name, int calls)
{
    struct stub_counts counts = stub_take_counts();
    struct mallinfo2 heap = mallinfo2();
    size_t now = heap.uordblks + heap.hblkhd;
    printf("%s %ld %ld %ld\n", name, counts.calls - calls, counts.ranks, (long)(now - in_use));
    fflush(stdout);
    in_use = mallinfo2().uordblks + mallinfo2().hblkhd;
}

static void use(const char *first, const char *second, const char *collective, MPI_Comm comm)
{
    int one = 1, other;
    MPI_Send(&one, 1, MPI_INT, 1, 0, comm);
    step(first, 1);
    MPI_Send(&one, 1, MPI_INT, 1, 0, comm);
    step(second, 1);
    MPI_Allreduce(&one, &other, 1, MPI_INT, 0, comm);
    step(collective, 1);
}

int main(int argc, char **argv)
{
    static int backwards[STUB_RANKS];
    MPI_Comm dup, split, of_split, created;
    MPI_Group world, group;
    for (int rank = 0; rank < STUB_RANKS; rank++)
        backwards[rank] = STUB_RANKS - 1 - rank;
    MPI_Init(&argc, &argv);
    /* What is made once. */
    use("-", "-", "-", MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_free(&dup);
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &split);
    MPI_Comm_free(&split);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, STUB_RANKS, backwards, &group);
    step("-", 6);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    step("dup", 1);
    use("dup:message", "dup:again", "dup:collective", dup);
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &split);
    step("split", 1);
    use("split:message", "split:again", "split:first-collective", split);
    MPI_Comm_dup(split, &of_split);
    step("split:dup", 1);
    use("split:dup:message", "split:dup:again", "split:dup:collective", of_split);
    MPI_Comm_create(MPI_COMM_WORLD, group, &created);
    step("create", 1);
    use("create:message", "create:again", "create:first-collective", created);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&of_split);
    MPI_Comm_free(&split);
    MPI_Comm_free(&created);
    step("free", 4);
    MPI_Finalize();
    return 0;
}
