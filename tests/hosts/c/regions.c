/* Regions of the program, with numbers of barriers that are built in. With the argument `threads`, two threads are in different
 * regions at once; with the path of tests/plugins/region.c, that library has a region. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "mpit_region.h"

static MPI_Comm comms[2];
static pthread_barrier_t both;

static void barriers(int count, MPI_Comm comm)
{
    while (count-- > 0)
        MPI_Barrier(comm);
}

static void *in_thread(void *argument)
{
    int thread = *(int *)argument, turn;
    const char *region = thread == 0 ? "first" : "second";

    for (turn = 0; turn < 5; turn++) {
        mpit_region_begin(region);
        pthread_barrier_wait(&both);
        barriers(2 + thread, comms[thread]);
        pthread_barrier_wait(&both);
        mpit_region_end(region);
        barriers(1, comms[thread]);
    }
    return NULL;
}

static void run_threads(void)
{
    int numbers[2] = {0, 1}, thread;
    pthread_t threads[2];

    pthread_barrier_init(&both, NULL, 2);
    for (thread = 0; thread < 2; thread++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[thread]);
    for (thread = 0; thread < 2; thread++)
        pthread_create(&threads[thread], NULL, in_thread, &numbers[thread]);
    for (thread = 0; thread < 2; thread++)
        pthread_join(threads[thread], NULL);
    for (thread = 0; thread < 2; thread++)
        MPI_Comm_free(&comms[thread]);
}

static void run_nested(void)
{
    MPI_Comm world = MPI_COMM_WORLD;

    barriers(1, world);
    mpit_region_begin("outer");
    barriers(2, world);
    mpit_region_begin("inner");
    barriers(3, world);
    mpit_region_end("inner");
    barriers(4, world);
    mpit_region_end("outer");
    barriers(5, world);
    MPI_Pcontrol(7);
    barriers(6, world);
    mpit_region_begin("outer");
    barriers(7, world);
    mpit_region_end("outer");
    MPI_Pcontrol(-3);
    barriers(8, world);
    MPI_Pcontrol(1);
    barriers(9, world);
    mpit_region_end("never begun");
    mpit_region_begin("left");
    mpit_region_begin("inside");
    barriers(10, world);
    mpit_region_end("left");
    barriers(11, world);
}

static void three_barriers(void)
{
    barriers(3, MPI_COMM_WORLD);
}

static void run_opened(const char *path)
{
    void (*in_region)(void (*)(void));
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    *(void **)&in_region = library ? dlsym(library, "in_region") : NULL;
    if (!in_region) {
        puts(dlerror());
        return;
    }
    in_region(three_barriers);
    barriers(1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int with_threads = argc > 1 && strcmp(argv[1], "threads") == 0, level;

    mpit_region_begin("begun before MPI");
    MPI_Init_thread(&argc, &argv, with_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    barriers(12, MPI_COMM_WORLD);
    mpit_region_end("begun before MPI");
    if (argc > 1 && !with_threads)
        run_opened(argv[1]);
    else if (!with_threads)
        run_nested();
    else if (level == MPI_THREAD_MULTIPLE)
        run_threads();
    else
        puts("no threads");
    MPI_Finalize();
    return 0;
}
