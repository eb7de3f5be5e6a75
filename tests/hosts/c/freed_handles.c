/* Threads read handles on variables of the library while another thread frees them, and while MPI_Finalize runs.
 *
 *     freed_handles          (1 process)
 *
 * A read may fail with the code for an invalid handle. Ends with 1 if it fails with another code, or if a handle cannot be
 * freed after MPI_Finalize. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24, THREADS = 3, ROUNDS = 8000, LATE_READS = 2000 };

static struct {
    int index;
    _Atomic(void *) handle;
} cvars[MOST], pvars[MOST];
static int num_cvars, num_pvars;
static MPI_T_pvar_session session;
static atomic_int readers_are_ready, round_now, is_over;
static int invalid_handle;
static MPI_Comm world;

static void expect(int is_right, const char *what, int code)
{
    if (!is_right) {
        fprintf(stderr, "freed_handles: %s: %d\n", what, code);
        _Exit(1);
    }
}

static int alloc_cvar(int at)
{
    int count;
    MPI_T_cvar_handle handle;
    const int code = MPI_T_cvar_handle_alloc(cvars[at].index, NULL, &handle, &count);
    atomic_store(&cvars[at].handle, code == MPI_SUCCESS && count <= 4096 ? (void *)handle : NULL);
    return code;
}

static int alloc_pvar(int at)
{
    int count;
    MPI_T_pvar_handle handle;
    const int code = MPI_T_pvar_handle_alloc(session, pvars[at].index, &world, &handle, &count);
    atomic_store(&pvars[at].handle, code == MPI_SUCCESS && count <= 4096 ? (void *)handle : NULL);
    return code;
}

/* Reading some of them crashes the library, with or without mpit. */
static int is_safe(const char *name)
{
    return !strstr(name, "ucx") && !strstr(name, "psm") && strncmp(name, "pml_monitoring", 14) != 0;
}

/* The last ones are the library's. */
static void choose(void)
{
    int num;

    MPI_T_cvar_get_num(&num);
    for (int index = num - 1; index >= 0 && num_cvars < MOST; index--) {
        char name[256] = "";
        int len = sizeof name, bind;
        cvars[num_cvars].index = index;
        if (!MPI_T_cvar_get_info(index, name, &len, NULL, NULL, NULL, NULL, NULL, &bind, NULL)
            && bind == MPI_T_BIND_NO_OBJECT && is_safe(name) && !alloc_cvar(num_cvars))
            num_cvars++;
    }
    MPI_T_pvar_get_num(&num);
    for (int index = num - 1; index >= 0 && num_pvars < MOST; index--) {
        char name[256] = "";
        int len = sizeof name, bind;
        pvars[num_pvars].index = index;
        if (!MPI_T_pvar_get_info(index, name, &len, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL, NULL, NULL)
            && (bind == MPI_T_BIND_NO_OBJECT || bind == MPI_T_BIND_MPI_COMM) && is_safe(name) && !alloc_pvar(num_pvars))
            num_pvars++;
    }
    expect(num_cvars > 0, "no variables", num_cvars);
}

static void read_cvar(int at, void *buffer)
{
    void *handle = atomic_load(&cvars[at].handle);
    const int code = handle ? MPI_T_cvar_read((MPI_T_cvar_handle)handle, buffer) : MPI_SUCCESS;

    expect(code == MPI_SUCCESS || code == invalid_handle, "MPI_T_cvar_read", code);
}

static void read_pvar(int at, void *buffer)
{
    void *handle = atomic_load(&pvars[at].handle);

    if (handle)
        MPI_T_pvar_read(session, (MPI_T_pvar_handle)handle, buffer);
}

/* Reads the handles that the main thread is about to free, and then all of them, over and over. */
static void read_some(void *buffer)
{
    const int round = atomic_load(&round_now);

    if (round < ROUNDS) {
        for (int times = 0; times < 20; times++) {
            read_cvar(round % num_cvars, buffer);
            if (num_pvars > 0)
                read_pvar(round % num_pvars, buffer);
        }
        return;
    }
    for (int at = 0; at < num_cvars; at++)
        read_cvar(at, buffer);
    for (int at = 0; at < num_pvars; at++)
        read_pvar(at, buffer);
}

static void *read_on(void *nothing)
{
    int provided, late = 0;
    void *buffer = malloc(1 << 16);

    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    atomic_fetch_add(&readers_are_ready, 1);
    while (late < LATE_READS / THREADS) {
        read_some(buffer);
        late += atomic_load(&is_over);
    }
    MPI_T_finalize();
    free(buffer);
    return nothing;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t threads[THREADS];

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    world = MPI_COMM_WORLD;
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    MPI_T_pvar_session_create(&session);
    invalid_handle = MPI_T_ERR_INVALID_HANDLE;
    choose();
    for (int thread = 0; thread < THREADS; thread++)
        pthread_create(&threads[thread], NULL, read_on, NULL);
    while (atomic_load(&readers_are_ready) < THREADS)
        ;
    for (int round = 0; round < ROUNDS; round++) {
        atomic_store(&round_now, round);
        if (num_pvars > 0) {
            const int at = round % num_pvars;
            MPI_T_pvar_handle handle = (MPI_T_pvar_handle)atomic_load(&pvars[at].handle);
            if (handle)
                expect(MPI_T_pvar_handle_free(session, &handle) == MPI_SUCCESS, "MPI_T_pvar_handle_free", at);
            alloc_pvar(at);
        }
        const int at = round % num_cvars;
        MPI_T_cvar_handle handle = (MPI_T_cvar_handle)atomic_load(&cvars[at].handle);
        if (handle)
            expect(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS, "MPI_T_cvar_handle_free", at);
        alloc_cvar(at);
    }
    atomic_store(&round_now, ROUNDS);
    MPI_Finalize();
    atomic_store(&is_over, 1);
    for (int thread = 0; thread < THREADS; thread++)
        pthread_join(threads[thread], NULL);
    for (int at = 0; at < num_cvars; at++) {
        MPI_T_cvar_handle handle = (MPI_T_cvar_handle)atomic_load(&cvars[at].handle);
        const int code = handle ? MPI_T_cvar_handle_free(&handle) : MPI_SUCCESS;
        expect(code == MPI_SUCCESS, "MPI_T_cvar_handle_free after MPI_Finalize", code);
    }
    for (int at = 0; at < num_pvars; at++) {
        MPI_T_pvar_handle handle = (MPI_T_pvar_handle)atomic_load(&pvars[at].handle);
        const int code = handle ? MPI_T_pvar_handle_free(session, &handle) : MPI_SUCCESS;
        expect(code == MPI_SUCCESS, "MPI_T_pvar_handle_free after MPI_Finalize", code);
    }
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    printf("done, %d control and %d performance variables\n", num_cvars, num_pvars);
    return EXIT_SUCCESS;
}
