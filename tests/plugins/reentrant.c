/* A plug-in whose functions call MPI and the tools interface, themselves and on a thread that they wait for.
 *
 *     REENTRANT_OTHER=component.so ACME_DIR=directory MPIT_REENTRANT_SETTING=1 MPIT_PLUGINS=reentrant.so ...
 *
 * The function of its control variable loads the plug-in REENTRANT_OTHER, its component deactivates that, and the function of
 * its performance variable opens and closes the interface. */
#include <mpit_plugin.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

extern int MPI_Pcontrol(const int level, ...);
extern int MPI_T_init_thread(int required, int *provided);
extern int MPI_T_cvar_get_num(int *num);
extern int MPI_T_finalize(void);

static int other = -1;

static void expect(int is_right, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "reentrant: %s\n", what);
        abort();
    }
}

static void call(void)
{
    int provided, num;
    expect(MPI_T_init_thread(0, &provided) == 0, "MPI_T_init_thread");
    expect(MPI_T_cvar_get_num(&num) == 0 && num > 0, "MPI_T_cvar_get_num");
    expect(MPI_T_finalize() == 0, "MPI_T_finalize");
}

/* The program may be up or not; the level means nothing. */
static void call_mpi(void)
{
    call();
    MPI_Pcontrol(7);
}

static void *load_other(void *nothing)
{
    call();
    expect(mpit_plugin_load(getenv("REENTRANT_OTHER"), &other) == 0, "mpit_plugin_load");
    return nothing;
}

static void *deactivate_other(void *nothing)
{
    call_mpi();
    expect(mpit_plugin_deactivate(other) == 0, "mpit_plugin_deactivate");
    return nothing;
}

static void *only_call(void *nothing)
{
    call();
    return nothing;
}

static void on_a_thread(void *(*function)(void *))
{
    pthread_t thread;
    expect(pthread_create(&thread, NULL, function, NULL) == 0 && pthread_join(thread, NULL) == 0, "thread");
}

static int set(void *user_data, const void *value, int count)
{
    (void)user_data, (void)value, (void)count;
    call();
    if (other < 0)
        on_a_thread(load_other);
    return 0;
}

static int open_it(void *user_data, uint32_t world_rank, uint32_t world_size)
{
    (void)user_data, (void)world_rank, (void)world_size;
    call_mpi();
    on_a_thread(deactivate_other);
    return 0;
}

static void close_it(void *user_data)
{
    (void)user_data;
    call_mpi();
    on_a_thread(only_call);
}

static int read_it(void *user_data, const struct mpit_object *object, void *out, int count)
{
    (void)user_data, (void)object, (void)count;
    *(uint64_t *)out = 7;
    return 0;
}

static void watch(void *user_data, int more)
{
    (void)user_data, (void)more;
    call();
    on_a_thread(only_call);
}

static int setting;
static const struct mpit_cvar cvars[] = {
    {.size = sizeof(struct mpit_cvar), .name = "reentrant_setting", .description = "Makes calls when it is set.",
     .datatype = MPIT_INT, .verbosity = MPIT_VERBOSITY_USER_BASIC, .scope = MPIT_SCOPE_LOCAL, .count = 1,
     .storage = &setting, .set = set, MPIT_HERE},
};

static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), .name = "reentrant_value", .description = "Makes calls when handles start and stop.",
     .pvar_class = MPIT_CLASS_SIZE, .datatype = MPIT_UNSIGNED_LONG_LONG, .verbosity = MPIT_VERBOSITY_USER_BASIC,
     .flags = MPIT_PVAR_READONLY, .count = 1, .read = read_it, .watch = watch, MPIT_HERE},
};

static const struct mpit_component components[] = {
    {.size = sizeof(struct mpit_component), .framework = "pml", .name = "reentrant",
     .description = "Makes calls when it is opened and closed.", .open = open_it, .close = close_it, MPIT_HERE},
};

MPIT_PLUGIN("reentrant", MPIT_LIST(pvars), MPIT_LIST(cvars), MPIT_LIST(components))
