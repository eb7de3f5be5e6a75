/* Programs that end in different ways: `gather MODE`. In all modes except `silent`, each process first sends one int to
 * its right neighbor. */
#include "mixed.h"
#include "require.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int me, size;
/* The buffer of a receive that never completes. */
static int untouched = -7;

static void pass(void)
{
    int out = me, in = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, (me + 1) % size, 0, &in, 1, MPI_INT, (me + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    char text[80];
    snprintf(text, sizeof text, "received %d, should be %d", in, (me + size - 1) % size);
    require(in == (me + size - 1) % size, text);
}

/* A receive from any source gets only the program's own messages, even if other ranks are in MPI_Finalize. */
static void receive_late(void)
{
    if (me == 0) {
        sleep(1);
        for (int left = size - 1; left > 0; left--) {
            int in[64] = {0}, count;
            MPI_Status status;
            MPI_Recv(in, 64, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            char text[128];
            snprintf(text, sizeof text, "a foreign message: %d numbers from %d with tag %d, the first is %d", count,
                     status.MPI_SOURCE, status.MPI_TAG, in[0]);
            require(count == 1 && in[0] == 1000 + status.MPI_SOURCE && status.MPI_TAG == 7, text);
        }
    } else {
        int out = 1000 + me;
        MPI_Send(&out, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int level;
    MPI_Init_thread(&argc, &argv, strcmp(mode, "multiple") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(mode, "silent") != 0)
        pass();
    if (strcmp(mode, "wildcard") == 0)
        receive_late();
    if (strcmp(mode, "others") == 0)
        make_calls(MPI_COMM_WORLD);
    if (strcmp(mode, "late") == 0 && me == size - 1)
        sleep(5);
    if (strcmp(mode, "killed") == 0 && me == size - 1)
        raise(SIGKILL);
    MPI_Request forgotten;
    if (strcmp(mode, "leftover") == 0)
        MPI_Irecv(&untouched, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &forgotten);
    MPI_Finalize();
    if (untouched != -7) {
        fprintf(stderr, "gather: a forgotten receive took a foreign message\n");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
