/* Time of loading a plug-in while two threads read a performance variable, and the slowest of their calls.
 *
 *     bench_plugins PLUGIN COPY NAME
 *
 * The threads read the counter NAME while nothing else happens, while dlopen loads COPY, and while mpit_plugin_load loads
 * PLUGIN, which has the same content and 10000 variables. Prints the milliseconds of both ("dlopen" and "load"), and for each of
 * the three the nanoseconds that one call of 10000 exceeds ("idle reads", "dlopen reads" and "load reads"), clock included. */
#include "bench.h"

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpit_plugin.h"

/* LONGEST nanoseconds are the last ones with a count of their own. */
enum { READERS = 2, LONGEST = 1000000, ADDED = 10000 };

struct reader {
    pthread_t thread;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int ready;
    unsigned long long calls;
    unsigned counts[LONGEST + 1];
};

static struct reader readers[READERS];
static const char *plugin, *copy;
static int (*load_plugin)(const char *, int *);
static int stopped;

static void fail(const char *what)
{
    fprintf(stderr, "bench_plugins: %s\n", what);
    exit(EXIT_FAILURE);
}

static void *read_until_stopped(void *argument)
{
    struct reader *reader = argument;
    unsigned long long value;

    reader->calls = 0;
    memset(reader->counts, 0, sizeof reader->counts);
    __atomic_store_n(&reader->ready, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&stopped, __ATOMIC_ACQUIRE)) {
        const double start = now();
        if (MPI_T_pvar_read(reader->session, reader->handle, &value) != MPI_SUCCESS)
            fail("a read failed");
        const double took = now() - start;
        reader->counts[took < LONGEST ? (int)took : LONGEST]++;
        reader->calls++;
    }
    return NULL;
}

/* The nanoseconds that one call of 10000 exceeds, of all readers. */
static int slowest(void)
{
    unsigned long long left = 0;
    int at = LONGEST;

    for (int i = 0; i < READERS; i++)
        left += readers[i].calls;
    if (left < 10000)
        fail("there are too few reads");
    left /= 10000;
    for (; at > 0; at--) {
        unsigned long long here = 0;
        for (int i = 0; i < READERS; i++)
            here += readers[i].counts[at];
        if (here > left)
            break;
        left -= here;
    }
    return at;
}

/* Runs `work` while the readers read. Returns its milliseconds. */
static double beside_readers(const char *name, void (*work)(void))
{
    double start, took;

    __atomic_store_n(&stopped, 0, __ATOMIC_RELEASE);
    for (int i = 0; i < READERS; i++) {
        readers[i].ready = 0;
        if (pthread_create(&readers[i].thread, NULL, read_until_stopped, &readers[i]))
            fail("there is no thread");
    }
    for (int i = 0; i < READERS; i++)
        while (!__atomic_load_n(&readers[i].ready, __ATOMIC_ACQUIRE))
            ;
    start = now();
    work();
    took = (now() - start) / 1e6;
    __atomic_store_n(&stopped, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i].thread, NULL);
    printf("%s reads %d.0\n", name, slowest());
    return took;
}

static void wait_a_little(void)
{
    const struct timespec time = {.tv_nsec = 50000000};
    nanosleep(&time, NULL);
}

static void open_copy(void)
{
    if (!dlopen(copy, RTLD_NOW | RTLD_LOCAL))
        fail(dlerror());
}

static void load(void)
{
    if (load_plugin(plugin, NULL) != MPI_SUCCESS)
        fail("the plug-in is not loaded");
}

int main(int argc, char **argv)
{
    int level, index, count, before, after;

    if (argc != 4)
        fail("usage: bench_plugins PLUGIN COPY NAME");
    plugin = argv[1];
    copy = argv[2];
    *(void **)&load_plugin = dlsym(NULL, "mpit_plugin_load");
    if (!load_plugin)
        fail("mpit is not there");
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &level);
    if (MPI_T_pvar_get_index(argv[3], MPI_T_PVAR_CLASS_COUNTER, &index) != MPI_SUCCESS)
        fail("there is no such counter");
    for (int i = 0; i < READERS; i++)
        if (MPI_T_pvar_session_create(&readers[i].session) != MPI_SUCCESS
            || MPI_T_pvar_handle_alloc(readers[i].session, index, NULL, &readers[i].handle, &count) != MPI_SUCCESS
            || MPI_T_pvar_start(readers[i].session, readers[i].handle) != MPI_SUCCESS)
            fail("there is no handle");
    MPI_T_pvar_get_num(&before);
    beside_readers("idle", wait_a_little);
    printf("dlopen %.3f\n", beside_readers("dlopen", open_copy));
    printf("load %.3f\n", beside_readers("load", load));
    MPI_T_pvar_get_num(&after);
    if (after != before + ADDED)
        fail("variables are missing");
    fflush(stdout);
    for (int i = 0; i < READERS; i++)
        MPI_T_pvar_session_free(&readers[i].session);
    MPI_T_finalize();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
