/* `lost_node HOST before|after`: the processes on HOST wait for the end of their node, before MPI_Finalize or after it. Processes
 * on other nodes end, as far as MPI_Finalize lets them. */
#define _POSIX_C_SOURCE 200809L
#include "require.h"
#include <string.h>
#include <unistd.h>

static void wait_for_the_end(void)
{
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    char host[256] = "";
    int one = 1, sum;
    MPI_Init(&argc, &argv);
    require(argc == 3 && gethostname(host, sizeof host - 1) == 0, "lost_node HOST before|after");
    const int is_lost = !strcmp(host, argv[1]);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (is_lost && !strcmp(argv[2], "before"))
        wait_for_the_end();
    MPI_Finalize();
    if (is_lost)
        wait_for_the_end();
    return EXIT_SUCCESS;
}
