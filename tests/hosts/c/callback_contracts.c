/* Rules of the tools interface that span several calls: before, between and after initializations of MPI and the interface.
 *
 *     callback_contracts               (2 processes)
 *
 * Prints a line for each broken contract, and the total. */
#define _GNU_SOURCE
#include "callback_contracts_contexts.h"
#include "callback_contracts_queries.h"
#include "callback_contracts_replaced.h"
#include "callback_contracts_texts.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
static int is_up(void)
{
    int count;
    return MPI_T_pvar_get_num(&count) == MPI_SUCCESS;
}

/* Proves R24, R25, R26. */
static void check_levels(void)
{
    const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    int best = -1, provided, again;
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &best);
    MPI_T_finalize();
    for (int i = 0; i < 4; i++) {
        int known = 0;
        provided = again = -1;
        check(MPI_T_init_thread(levels[i], &provided) == MPI_SUCCESS, "init");
        for (int j = 0; j < 4; j++)
            known += provided == levels[j];
        check(known == 1, "R24 one of four levels is provided");
        check(provided >= levels[i] || provided == best, "R25 what is required is provided");
        check(MPI_T_init_thread(levels[3 - i], &again) == MPI_SUCCESS && again == provided, "R26 the level in force");
        MPI_T_finalize();
        MPI_T_finalize();
    }
}

static pthread_barrier_t both;

static void *init_together(void *unused)
{
    int provided;
    pthread_barrier_wait(&both);
    check(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS, "R33 init");
    return NULL;
}

/* Proves R33. */
static void check_two_threads(void)
{
    for (int i = 0; i < 100; i++) {
        pthread_t threads[2];
        pthread_barrier_init(&both, NULL, 2);
        for (int j = 0; j < 2; j++)
            pthread_create(&threads[j], NULL, init_together, NULL);
        for (int j = 0; j < 2; j++)
            pthread_join(threads[j], NULL);
        pthread_barrier_destroy(&both);
        check(MPI_T_finalize() == MPI_SUCCESS && is_up(), "R33 both were counted");
        check(MPI_T_finalize() == MPI_SUCCESS && !is_up(), "R33 none was counted twice");
    }
}

/* Proves R20: a further MPI_T_init_thread changes nothing. */
static void check_another_init(struct view view)
{
    const int number = update_number();
    const unsigned long long before = messages(view);
    int provided;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    check(messages(view) == before && update_number() == number, "R20 after another init");
    MPI_T_finalize();
    check(messages(view) == before && update_number() == number, "R20 after a finalize that leaves it up");
}

/* Proves R36: settings that MPI_Init reads can be queried and set before it. */
/* Proves R97, R98: but not after it. */
static void check_frozen(int before)
{
    static char value[8192];
    int code;
    MPI_T_cvar_handle handle = setting("pml_components");
    check(MPI_T_cvar_read(handle, value) == MPI_SUCCESS, "R36 it can be seen");
    check(MPI_T_cvar_write(handle, value) == MPI_SUCCESS, "R96 it can be set to its value");
    code = MPI_T_cvar_write(handle, "another");
    check(code == (before ? MPI_SUCCESS : MPI_T_ERR_CVAR_SET_NEVER), "R36 it can be set before MPI_Init only");
    check(!before || MPI_T_cvar_write(handle, value) == MPI_SUCCESS, "R36 it can be set again");
    MPI_T_cvar_handle_free(&handle);
    check(handle == MPI_T_CVAR_HANDLE_NULL, "R58"); /* Proves R58. */
}

/* Proves R155: by the address of a copy. */
/* Proves R154: a handle outlives its object. */
static void check_objects(void)
{
    unsigned long long before[8] = {0}, after[8] = {0};
    const char *const name = "pml_monitoring_messages_count";
    MPI_Comm comm;
    struct view view = {MPI_T_PVAR_SESSION_NULL, MPI_T_PVAR_HANDLE_NULL};
    MPI_T_pvar_session_create(&view.session);
    handle_on(view.session, name, MPI_T_PVAR_CLASS_SIZE, &world, size);
    handle_on(view.session, name, MPI_T_PVAR_CLASS_SIZE, &self, 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    view.handle = handle_on(view.session, name, MPI_T_PVAR_CLASS_SIZE, &comm, size);
    MPI_T_pvar_start(view.session, view.handle);
    exchange(comm);
    check(MPI_T_pvar_read(view.session, view.handle, before) == MPI_SUCCESS && before[1 - rank] == 1, "R154 before");
    MPI_Comm_free(&comm);
    check(MPI_T_pvar_read(view.session, view.handle, after) == MPI_SUCCESS, "R154 a read afterwards");
    check(after[0] == before[0] && after[1] == before[1], "R154 what is known of it stays");
    check(MPI_T_pvar_session_free(&view.session) == MPI_SUCCESS, "R154 the session can be freed");
}

/* Proves R309: PMPI_Init is in the host's library. Returns the host's function that mpit's one interposes. */
static void *of_host(const char *name)
{
    Dl_info host;
    void *library = NULL;
    check(dladdr((void *)(uintptr_t)PMPI_Init, &host) && !strstr(host.dli_fname, "libmpit"), "R309 PMPI_Init");
    library = dlopen(host.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    check(library != NULL, "the MPI library");
    return library ? dlsym(library, name) : NULL;
}

/* Proves R213: the part of mpit's update number that is not the host's. */
static int own_update_number(void)
{
    int (*changed)(int *) = (int (*)(int *))(uintptr_t)of_host("MPI_T_category_changed");
    int hosts = -1;
    check(changed && changed(&hosts) == MPI_SUCCESS, "the host's update number");
    return update_number() - hosts;
}

/* All entries that may be in a category. */
static int listed(void)
{
    int cvars = 0, pvars = 0, events = 0;
    MPI_T_cvar_get_num(&cvars);
    MPI_T_pvar_get_num(&pvars);
    MPI_T_event_get_num(&events);
    return cvars + pvars + events + categories();
}

/* Proves R227: info objects before MPI_Init, which libraries support since MPI-4. */
static void check_early_info(void)
{
    MPI_Info info = MPI_INFO_NULL;
    const int code = MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &info);
    if (of_host("PMPI_Session_init")) {
        check(code == MPI_SUCCESS && info != MPI_INFO_NULL, "R227 an info object before MPI_Init");
        check(MPI_Info_free(&info) == MPI_SUCCESS, "R227 it can be freed");
    } else {
        check(code == MPI_T_ERR_NOT_ACCESSIBLE && info == MPI_INFO_NULL, "R227 no info object before MPI_Init");
    }
}

/* Proves R307, R309, F55. */
static void check_pcontrol(void)
{
    int out = 42, in = 0;
    check(PMPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE) == MPI_SUCCESS,
          "R309 PMPI_Sendrecv");
    check(in == 42, "R309 what PMPI_Sendrecv moves");
    check(MPI_Pcontrol(0) == MPI_SUCCESS && MPI_Pcontrol(1) == MPI_SUCCESS, "R307 levels 0 and 1");
    check(MPI_Pcontrol(2) == MPI_SUCCESS && MPI_Pcontrol(-17, "more", 3) == MPI_SUCCESS, "R307 other levels");
}

/* Proves R79, R105, R135, R215, R240, R311: entries with the same name here and on rank 0 are equal. */
static void check_agreement(void)
{
    char *mine = describe(0);
    int length = (int)strlen(mine) + 1, lines;
    char *first = mine;
    MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank != 0)
        first = malloc((size_t)length);
    MPI_Bcast(first, length, MPI_CHAR, 0, MPI_COMM_WORLD);
    lines = compare(mine, first);
    check(lines > 20, "R311 there is something to compare");
    free(mine);
    if (rank != 0)
        free(first);
}

/* Proves R17, R86: entries that ended with MPI keep index and name, but have no handles. */
/* Proves R192: its former handles are invalid. */
static void check_what_is_gone(struct view view)
{
    static char name[CAPACITY];
    int cvars, gone = 0;
    unsigned long long value[64];
    MPI_T_cvar_get_num(&cvars);
    for (int index = 0; index < cvars; index++) {
        int length = CAPACITY, found = -1, count, code;
        MPI_T_cvar_handle handle;
        if (MPI_T_cvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL) != MPI_SUCCESS)
            continue;
        check(MPI_T_cvar_get_index(name, &found) == MPI_SUCCESS && found == index, "R86 the name leads there");
        code = MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
        check(code == MPI_SUCCESS || code == MPI_T_ERR_INVALID_INDEX, "R86 it gives no handles");
        gone += code == MPI_T_ERR_INVALID_INDEX;
    }
    check(gone > 0, "R86 there is something that went away");
    if (view.handle != MPI_T_PVAR_HANDLE_NULL) {
        check(MPI_T_pvar_read(view.session, view.handle, value) == MPI_T_ERR_INVALID_HANDLE, "R192 read");
        check(MPI_T_pvar_start(view.session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS, "R192 start of all handles");
    }
}

static int is_ours(const char *name)
{
    return strstr(name, "_monitoring_") || strncmp(name, "calls_", 6) == 0;
}

/* A handle of the host's last unbound variable for which one can be allocated. */
static struct view open_hosts_view(void)
{
    static char name[CAPACITY];
    struct view view = {MPI_T_PVAR_SESSION_NULL, MPI_T_PVAR_HANDLE_NULL};
    int index, count;
    MPI_T_pvar_get_num(&index);
    MPI_T_pvar_session_create(&view.session);
    while (--index >= 0) {
        int bind, length = CAPACITY;
        if (MPI_T_pvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL, NULL, NULL)
                == MPI_SUCCESS
            && bind == MPI_T_BIND_NO_OBJECT && !is_ours(name)
            && MPI_T_pvar_handle_alloc(view.session, index, NULL, &view.handle, &count) == MPI_SUCCESS)
            break;
        view.handle = MPI_T_PVAR_HANDLE_NULL;
    }
    return view;
}

int main(int argc, char **argv)
{
    int provided, number, ours, entries;
    char *before, *after;
    struct view view;
    MPI_T_enum values;
    world = MPI_COMM_WORLD;
    self = MPI_COMM_SELF;

    check_levels();
    check_two_threads();
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    before = describe(1);
    values = any_enumeration();
    check_codes();
    check_queries();
    number = update_number();
    ours = own_update_number();
    entries = listed();
    check_early_info();
    check_frozen(1);
    view = open_view();
    check_another_init(view);

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    const unsigned long long sent = messages(view);
    exchange(MPI_COMM_WORLD);
    check(messages(view) == sent + 1, "R30 a handle from before MPI_Init"); /* Proves R30. */
    check(update_number() >= number, "R213 it does not fall"); /* Proves R213. */
    check(listed() == entries || update_number() > number, "R210 it rises with the library's entries"); /* Proves R210. */
    number = update_number();
    check(own_update_number() == ours + listed() - entries && ours > 0, "R213 ours, the host's, and what is listed");
    check_another_init(view);
    check_frozen(0);
    after = describe(1);
    check_lines(before, after, "R62, R74 said otherwise before MPI_Init"); /* Proves R62. */
    check(is_enumeration(values), "R74 an enumeration from before MPI_Init"); /* Proves R74. */
    free(before);
    check_queries();
    check_strings();
    check_lists();
    check_generic(); /* Proves R127. */
    check_events();
    check_objects();
    check_callbacks();
    check_pcontrol();
    check_agreement();
    check_signals();
    MPI_Barrier(MPI_COMM_WORLD);

    struct view of_hosts = open_hosts_view();
    MPI_Finalize();
    before = describe(1);
    check_lines(after, before, "R17 said otherwise after MPI_Finalize");
    check(is_enumeration(values), "R74 after MPI_Finalize");
    check(update_number() >= number, "R213 it does not fall when MPI ends");
    check_what_is_gone(of_hosts);
    number = update_number();
    MPI_T_finalize();
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    after = describe(1);
    check_lines(before, after, "R18 said otherwise in another life of the interface"); /* Proves R18. */
    check(update_number() >= number, "R213 it does not fall in another life of the interface");
    MPI_T_finalize();
    check(replaced == own_calls, "R306 only this program calls what it has replaced");
    printf("rank %d: %d contracts broken\n", rank, failures);
    return failures != 0;
}
