/* What the tools interface promises over many calls: before, between and after the lives of MPI and the interface.
 *
 *     promises               (2 processes)
 *
 * Prints a line for each promise that is broken, and one at the end. */
#define _GNU_SOURCE
#include "mpit.h"
#include "promises_texts.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

static int rank, size;
static MPI_Comm world, self; /* Copies of the handles. */

/* R305: nothing of mpit's calls what a tool can replace, such as the functions below. */
static void check_caller(const void *address)
{
    Dl_info caller;
    if (dladdr(address, &caller) && caller.dli_fname && strstr(caller.dli_fname, "libmpit"))
        check(0, "called by mpit, though it could be replaced");
}

/* R304, R306: what the program defines itself is called in place of ours, and all else as before. */
static int replaced, asked; /* Calls of functions below, and those that this program makes. */

int MPI_T_category_get_num(int *count)
{
    replaced++;
    check_caller(__builtin_return_address(0));
    return PMPI_T_category_get_num(count);
}

int MPI_T_category_changed(int *number)
{
    replaced++;
    check_caller(__builtin_return_address(0));
    return PMPI_T_category_changed(number);
}

int MPI_Comm_size(MPI_Comm comm, int *count)
{
    check_caller(__builtin_return_address(0));
    return PMPI_Comm_size(comm, count);
}

int MPI_Comm_rank(MPI_Comm comm, int *number)
{
    check_caller(__builtin_return_address(0));
    return PMPI_Comm_rank(comm, number);
}

int MPI_Initialized(int *flag)
{
    check_caller(__builtin_return_address(0));
    return PMPI_Initialized(flag);
}

int MPI_Query_thread(int *level)
{
    check_caller(__builtin_return_address(0));
    return PMPI_Query_thread(level);
}

int MPI_Info_create(MPI_Info *info)
{
    check_caller(__builtin_return_address(0));
    return PMPI_Info_create(info);
}

static int categories(void)
{
    int count = -1;
    asked++;
    check(MPI_T_category_get_num(&count) == MPI_SUCCESS, "R304 the program's own function reaches ours");
    return count;
}

static int update_number(void)
{
    int number = -1;
    asked++;
    MPI_T_category_changed(&number);
    return number;
}

static int is_up(void)
{
    int count;
    return MPI_T_pvar_get_num(&count) == MPI_SUCCESS;
}

/* R24, R25, R26 */
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
    (void)unused;
    pthread_barrier_wait(&both);
    check(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS, "R33 init");
    return NULL;
}

/* R33 */
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

/* A session with a running handle on the number of messages. */
struct view {
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
};

static struct view open_view(void)
{
    struct view view = {MPI_T_PVAR_SESSION_NULL, MPI_T_PVAR_HANDLE_NULL};
    int index = -1, count = 0;
    check(MPI_T_pvar_session_create(&view.session) == MPI_SUCCESS, "session");
    MPI_T_pvar_get_index("pml_monitoring_messages_total", MPI_T_PVAR_CLASS_COUNTER, &index);
    check(MPI_T_pvar_handle_alloc(view.session, index, NULL, &view.handle, &count) == MPI_SUCCESS, "handle");
    check(MPI_T_pvar_start(view.session, view.handle) == MPI_SUCCESS, "start");
    return view;
}

static unsigned long long messages(struct view view)
{
    unsigned long long value[8] = {0};
    check(MPI_T_pvar_read(view.session, view.handle, value) == MPI_SUCCESS, "R20, R30 the handle is good");
    return value[0];
}

static void exchange(MPI_Comm comm)
{
    int out = rank, in;
    MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 7, &in, 1, MPI_INT, 1 - rank, 7, comm, MPI_STATUS_IGNORE);
}

/* R20: an init more changes nothing. */
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

/* R36: what is looked at when MPI comes up can be seen and set before. */
/* R97, R98: and not after. */
static void check_frozen(int before)
{
    static char value[8192];
    int index = -1, count, code;
    MPI_T_cvar_handle handle;
    MPI_T_cvar_get_index("pml_components", &index);
    check(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS, "R36 pml_components");
    check(MPI_T_cvar_read(handle, value) == MPI_SUCCESS, "R36 it can be seen");
    code = MPI_T_cvar_write(handle, value);
    check(code == (before ? MPI_SUCCESS : MPI_T_ERR_CVAR_SET_NEVER), "R36 it can be set before MPI_Init only");
    MPI_T_cvar_handle_free(&handle);
    check(handle == MPI_T_CVAR_HANDLE_NULL, "R58"); /* R58 */
}

/* R53 */
static void check_codes(void)
{
    const int ours[] = {MPI_T_ERR_INVALID,          MPI_T_ERR_NOT_INITIALIZED, MPI_T_ERR_NOT_ACCESSIBLE,
                        MPI_T_ERR_NOT_SUPPORTED,    MPI_T_ERR_INVALID_INDEX,   MPI_T_ERR_INVALID_NAME,
                        MPI_T_ERR_INVALID_HANDLE,   MPI_T_ERR_INVALID_SESSION, MPI_T_ERR_CVAR_SET_NOT_NOW,
                        MPI_T_ERR_CVAR_SET_NEVER,   MPI_T_ERR_PVAR_NO_WRITE,   MPI_T_ERR_PVAR_NO_STARTSTOP,
                        MPI_T_ERR_PVAR_NO_ATOMIC,   MPI_T_ERR_OUT_OF_HANDLES,  MPI_T_ERR_OUT_OF_SESSIONS,
                        MPI_T_ERR_MEMORY,           MPI_T_ERR_CANNOT_INIT};
    const int of_mpi[] = {MPI_SUCCESS,      MPI_ERR_BUFFER,  MPI_ERR_COUNT,    MPI_ERR_TYPE,      MPI_ERR_TAG,
                          MPI_ERR_COMM,     MPI_ERR_RANK,    MPI_ERR_REQUEST,  MPI_ERR_ROOT,      MPI_ERR_GROUP,
                          MPI_ERR_OP,       MPI_ERR_TOPOLOGY, MPI_ERR_DIMS,    MPI_ERR_ARG,       MPI_ERR_UNKNOWN,
                          MPI_ERR_TRUNCATE, MPI_ERR_OTHER,   MPI_ERR_INTERN,   MPI_ERR_IN_STATUS, MPI_ERR_PENDING,
                          MPI_ERR_KEYVAL,   MPI_ERR_NO_MEM,  MPI_ERR_BASE,     MPI_ERR_INFO_KEY,  MPI_ERR_INFO_VALUE,
                          MPI_ERR_INFO,     MPI_ERR_SPAWN,   MPI_ERR_PORT,     MPI_ERR_SERVICE,   MPI_ERR_NAME,
                          MPI_ERR_WIN,      MPI_ERR_SIZE,    MPI_ERR_DISP,     MPI_ERR_LOCKTYPE,  MPI_ERR_ASSERT,
                          MPI_ERR_FILE,     MPI_ERR_IO,      MPI_ERR_ACCESS,   MPI_ERR_AMODE,     MPI_ERR_LASTCODE};
    int count;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        for (size_t j = 0; j < sizeof of_mpi / sizeof *of_mpi; j++)
            check(ours[i] != of_mpi[j], "R53 a code of MPI's own");
    /* That ours are those of the header. */
    check(MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID_INDEX
              && MPI_T_pvar_get_num(NULL) == MPI_T_ERR_INVALID && MPI_T_pvar_get_num(&count) == MPI_SUCCESS,
          "R53 codes of the header");
}

/* R80, R129, R196, R233: nothing is asked for at all. */
/* R83, R106, C30: words are constants of the library's header. */
static void check_queries(void)
{
    int cvars, pvars, events, index;
    MPI_T_cvar_get_num(&cvars);
    MPI_T_pvar_get_num(&pvars);
    MPI_T_event_get_num(&events);
    for (index = 0; index < cvars; index++) {
        int verbosity, bind, scope;
        int code = MPI_T_cvar_get_info(index, NULL, NULL, &verbosity, NULL, NULL, NULL, NULL, &bind, &scope);
        check(MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == code, "R80");
        if (code == MPI_SUCCESS)
            check(is_verbosity(verbosity) && is_bind(bind) && is_scope(scope), "R83 words of a control variable");
    }
    for (index = 0; index < pvars; index++) {
        int verbosity, bind, class;
        int code = MPI_T_pvar_get_info(index, NULL, NULL, &verbosity, &class, NULL, NULL, NULL, NULL, &bind, NULL,
                                       NULL, NULL);
        check(MPI_T_pvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
                  == code, "R129");
        if (code == MPI_SUCCESS)
            check(is_verbosity(verbosity) && is_bind(bind) && is_class(class), "R106 words of a performance variable");
    }
    for (index = 0; index < events; index++)
        check(MPI_T_event_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
                  == MPI_SUCCESS, "R233");
    for (index = categories() - 1; index >= 0; index--)
        check(MPI_T_category_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_SUCCESS, "R196");
}

/* R47, R48 */
static void check_strings(void)
{
    static char name[ROOM], desc[ROOM];
    int pvars;
    MPI_T_pvar_get_num(&pvars);
    for (int index = 0; index < pvars; index++) {
        int name_need = 0, desc_need = 0, name_room = ROOM, desc_room = ROOM;
        if (MPI_T_pvar_get_info(index, NULL, &name_need, NULL, NULL, NULL, NULL, desc, &desc_room, NULL, NULL, NULL,
                                NULL) != MPI_SUCCESS)
            continue;
        check((int)strlen(desc) + 1 == desc_room && name_need > 1, "R47 the name measured, the description copied");
        MPI_T_pvar_get_info(index, name, &name_room, NULL, NULL, NULL, NULL, NULL, &desc_need, NULL, NULL, NULL, NULL);
        check((int)strlen(name) + 1 == name_room && desc_need == desc_room, "R47 and the other way round");
        memset(name, 'x', sizeof name);
        MPI_T_pvar_get_info(index, name, &name_need, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        check(name_need == name_room && (int)strlen(name) + 1 == name_need, "R48 the room that was asked for");
    }
}

typedef int list_function(int, int, int[]);

/* R202, R203 */
static void check_list(list_function *list, int category, int count)
{
    enum { MORE = 3 };
    int *whole = malloc((size_t)(count + MORE) * sizeof *whole), *part = malloc((size_t)(count + MORE) * sizeof *part);
    for (int i = 0; i < count + MORE; i++)
        whole[i] = part[i] = -77;
    check(list(category, count + MORE, whole) == MPI_SUCCESS, "R203 more room than needed");
    for (int i = 0; i < count + MORE; i++)
        check((whole[i] == -77) == (i >= count), "R203 what is behind the list stays");
    const int room = count / 2;
    check(list(category, room, part) == MPI_SUCCESS, "R202 too little room");
    for (int i = 0; i < count + MORE; i++) {
        check((part[i] == -77) == (i >= room), "R202 as many as fit");
        for (int j = 0; j < i && i < room; j++)
            check(part[i] != part[j], "R202 all distinct");
    }
    free(whole);
    free(part);
}

static void check_lists(void)
{
    for (int index = categories() - 1; index >= 0; index--) {
        int cvars = 0, pvars = 0, inner = 0, events = 0;
        MPI_T_category_get_info(index, NULL, NULL, NULL, NULL, &cvars, &pvars, &inner);
        MPI_T_category_get_num_events(index, &events);
        check_list(MPI_T_category_get_cvars, index, cvars);
        check_list(MPI_T_category_get_pvars, index, pvars);
        check_list(MPI_T_category_get_categories, index, inner);
        check_list(MPI_T_category_get_events, index, events);
    }
}

static int keys(MPI_Info info)
{
    int count = -1;
    MPI_Info_get_nkeys(info, &count);
    return count;
}

static MPI_T_event_cb_function on_message;

/* R224, R225, R228, R234, R235, R238, R243, R266 */
static void check_events(void)
{
    MPI_Datatype types[16], some[16];
    MPI_Aint places[16], few[16];
    int event = -1, all = 16, elements = 2;
    MPI_Info one = MPI_INFO_NULL, other = MPI_INFO_NULL;
    MPI_T_event_registration registration;
    check(MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_SUCCESS, "R224, R228 NULL");
    MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &one);
    MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &other);
    check(one != MPI_INFO_NULL && other != MPI_INFO_NULL && one != other, "R224 each query makes an info object");
    check(keys(one) == 0 && keys(other) == 0, "R225 it is empty");
    check(MPI_Info_free(&one) == MPI_SUCCESS && MPI_Info_free(&other) == MPI_SUCCESS, "R224 it can be freed");

    MPI_T_event_get_index("pml_message_sent", &event);
    memset(types, 0x5a, sizeof types);
    memset(some, 0x5a, sizeof some);
    memset(places, 0x5a, sizeof places);
    memset(few, 0x5a, sizeof few);
    MPI_T_event_get_info(event, NULL, NULL, NULL, types, places, &all, NULL, &one, NULL, NULL, NULL);
    MPI_T_event_get_info(event, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &other, NULL, NULL, NULL);
    check(one != MPI_INFO_NULL && other != MPI_INFO_NULL && one != other, "R243 each query makes an info object");
    check(MPI_Info_free(&one) == MPI_SUCCESS && MPI_Info_free(&other) == MPI_SUCCESS, "R243 it can be freed");
    check(all > 2 && all < 16 && !memcmp(&types[all], &some[all], sizeof *types), "R235 what is behind them stays");
    check(!memcmp(&places[all], &few[all], sizeof *places), "R235 what is behind them stays");
    MPI_T_event_get_info(event, NULL, NULL, NULL, some, NULL, &elements, NULL, NULL, NULL, NULL, NULL);
    check(elements == all && !memcmp(some, types, 2 * sizeof *some), "R234, R238 types alone, as many as fit");
    check(!memcmp(&some[2], &types[all], sizeof *some), "R234 and no more");
    elements = 2;
    MPI_T_event_get_info(event, NULL, NULL, NULL, NULL, few, &elements, NULL, NULL, NULL, NULL, NULL);
    check(elements == all && !memcmp(few, places, 2 * sizeof *few), "R234, R238 displacements alone");
    check(!memcmp(&few[2], &places[all], sizeof *few), "R234 and no more");

    MPI_Info_create(&one);
    MPI_Info_set(one, "mpit_defer", "true");
    MPI_T_event_handle_alloc(event, &world, MPI_INFO_NULL, &registration);
    MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, one, NULL, on_message);
    MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_message);
    MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &other);
    check(keys(other) == 0, "R266 hints of the callback before");
    MPI_Info_free(&other);
    MPI_T_event_handle_free(registration, NULL, NULL);
    MPI_Info_free(&one);
}

static int heard;
static struct view of_callback;

#define WORKS(call) check((call) == MPI_SUCCESS, "in a callback: " #call)

/* R34, R189, R190, R298, R300: level NONE, where all may be called. */
static void on_message(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                       void *user_data)
{
    static char text[8192];
    int provided, count, number, room, event, out = 1, in = 0;
    MPI_Count time;
    MPI_T_cvar_handle cvar;
    MPI_T_event_registration other;
    MPI_Info info;
    unsigned long long value[8];
    (void)instance, (void)safety, (void)user_data;
    heard++;
    WORKS(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    WORKS(MPI_T_finalize());
    WORKS(MPI_T_cvar_get_num(&count));
    WORKS(MPI_T_pvar_get_num(&count));
    WORKS(MPI_T_source_get_num(&count));
    WORKS(MPI_T_event_get_num(&count));
    WORKS(PMPI_T_category_get_num(&count));
    WORKS(PMPI_T_category_changed(&number));
    WORKS(MPI_T_cvar_get_index("pml_components", &number));
    WORKS(MPI_T_cvar_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    WORKS(MPI_T_cvar_handle_alloc(number, NULL, &cvar, &count));
    WORKS(MPI_T_cvar_read(cvar, text));
    check(MPI_T_cvar_write(cvar, text) == MPI_T_ERR_CVAR_SET_NEVER, "in a callback: cvar_write");
    WORKS(MPI_T_cvar_handle_free(&cvar));
    WORKS(MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    WORKS(MPI_T_source_get_timestamp(0, &time));
    WORKS(MPI_T_event_get_index("pml_message_sent", &event));
    WORKS(MPI_T_event_get_info(event, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    WORKS(MPI_T_event_handle_alloc(event, &self, MPI_INFO_NULL, &other));
    WORKS(MPI_T_event_handle_set_info(other, MPI_INFO_NULL));
    WORKS(MPI_T_event_handle_get_info(other, &info));
    WORKS(MPI_Info_free(&info));
    WORKS(MPI_T_event_register_callback(other, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, NULL));
    WORKS(MPI_T_event_set_dropped_handler(other, NULL));
    WORKS(MPI_T_event_handle_free(other, NULL, NULL));
    WORKS(MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL));
    WORKS(MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &info));
    WORKS(MPI_Info_free(&info));
    room = sizeof text;
    WORKS(MPI_T_category_get_info(0, text, &room, NULL, NULL, NULL, NULL, NULL));
    WORKS(MPI_T_category_get_index(text, &number));
    WORKS(MPI_T_category_get_num_events(0, &number));
    WORKS(MPI_T_category_get_cvars(0, 0, NULL));
    WORKS(MPI_T_category_get_pvars(0, 0, NULL));
    WORKS(MPI_T_category_get_events(0, 0, NULL));
    WORKS(MPI_T_category_get_categories(0, 0, NULL));
    of_callback = open_view();
    WORKS(MPI_T_pvar_stop(of_callback.session, of_callback.handle));
    WORKS(MPI_T_pvar_start(of_callback.session, of_callback.handle));
    WORKS(MPI_T_pvar_read(of_callback.session, of_callback.handle, value));
    number = MPI_T_pvar_reset(of_callback.session, of_callback.handle);
    check(number != MPI_T_ERR_NOT_ACCESSIBLE, "R189 reset in a callback");
    number = MPI_T_pvar_write(of_callback.session, of_callback.handle, value);
    check(number != MPI_T_ERR_NOT_ACCESSIBLE, "R189 write in a callback");
    number = MPI_T_pvar_readreset(of_callback.session, of_callback.handle, value);
    check(number != MPI_T_ERR_NOT_ACCESSIBLE, "R189 readreset in a callback");
    WORKS(MPI_T_pvar_handle_free(of_callback.session, &of_callback.handle));
    check(of_callback.handle == MPI_T_PVAR_HANDLE_NULL, "R58"); /* R58 */
    WORKS(MPI_T_pvar_session_free(&of_callback.session));
    check(of_callback.session == MPI_T_PVAR_SESSION_NULL, "R58"); /* R58 */
    /* Messages, collective calls and new objects of MPI itself. */
    WORKS(MPI_Sendrecv(&out, 1, MPI_INT, 0, 3, &in, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    check(in == 1, "R300 a message of a callback arrives");
    WORKS(MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
    MPI_Comm made;
    WORKS(MPI_Comm_dup(MPI_COMM_SELF, &made));
    WORKS(MPI_Comm_free(&made));
}

static void check_callbacks(void)
{
    MPI_T_event_registration registration;
    int event = -1;
    MPI_T_event_get_index("pml_message_sent", &event);
    check(MPI_T_event_handle_alloc(event, &world, MPI_INFO_NULL, &registration) == MPI_SUCCESS, "R155 world");
    MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_message);
    exchange(MPI_COMM_WORLD);
    check(heard == 1, "R298 the callback came to its end");
    MPI_T_event_handle_free(registration, NULL, NULL);
}

/* R155: by the address of a copy. */
/* R154: a handle outlives its object. */
static void check_objects(void)
{
    unsigned long long before[8] = {0}, after[8] = {0};
    int index = -1, count = -1;
    MPI_Comm comm;
    struct view view = {MPI_T_PVAR_SESSION_NULL, MPI_T_PVAR_HANDLE_NULL};
    MPI_T_pvar_session_create(&view.session);
    MPI_T_pvar_get_index("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, &index);
    check(MPI_T_pvar_handle_alloc(view.session, index, &world, &view.handle, &count) == MPI_SUCCESS && count == size,
          "R155 MPI_COMM_WORLD");
    check(MPI_T_pvar_handle_alloc(view.session, index, &self, &view.handle, &count) == MPI_SUCCESS && count == 1,
          "R155 MPI_COMM_SELF");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check(MPI_T_pvar_handle_alloc(view.session, index, &comm, &view.handle, &count) == MPI_SUCCESS, "R154 alloc");
    MPI_T_pvar_start(view.session, view.handle);
    exchange(comm);
    check(MPI_T_pvar_read(view.session, view.handle, before) == MPI_SUCCESS && before[1 - rank] == 1, "R154 before");
    MPI_Comm_free(&comm);
    check(MPI_T_pvar_read(view.session, view.handle, after) == MPI_SUCCESS, "R154 a read afterwards");
    check(after[0] == before[0] && after[1] == before[1], "R154 what is known of it stays");
    check(MPI_T_pvar_session_free(&view.session) == MPI_SUCCESS, "R154 the session can be freed");
}

/* R309: a PMPI function is in the host's library. Gives the host's function, which ours stands in front of. */
static void *of_host(const char *name)
{
    Dl_info host;
    void *library = NULL;
    check(dladdr((void *)(uintptr_t)PMPI_Send, &host) && !strstr(host.dli_fname, "libmpit"), "R309 PMPI_Send");
    check(dladdr((void *)(uintptr_t)PMPI_Init, &host) && !strstr(host.dli_fname, "libmpit"), "R309 PMPI_Init");
    library = dlopen(host.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    check(library != NULL, "the MPI library");
    return library ? dlsym(library, name) : NULL;
}

/* R213: what of our update number is not the host's. */
static int own_update_number(void)
{
    int (*changed)(int *) = (int (*)(int *))(uintptr_t)of_host("MPI_T_category_changed");
    int hosts = -1;
    check(changed && changed(&hosts) == MPI_SUCCESS, "the host's update number");
    return update_number() - hosts;
}

/* R227: info objects before MPI_Init. Libraries since MPI-4, which brought sessions, make them. */
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

/* R307, F55 */
static void check_pcontrol(void)
{
    check(MPI_Pcontrol(0) == MPI_SUCCESS && MPI_Pcontrol(1) == MPI_SUCCESS, "R307 levels 0 and 1");
    check(MPI_Pcontrol(2) == MPI_SUCCESS && MPI_Pcontrol(-17, "more", 3) == MPI_SUCCESS, "R307 other levels");
}

enum { SIGNALS = 2000 };

static struct view of_handler;
static volatile sig_atomic_t interrupted, went_wrong;
static pthread_t main_thread;

/* All that may be called here, on a variable of ours; no instance is live. */
static void on_signal(int number)
{
    const MPI_T_event_instance none = (MPI_T_event_instance)(uintptr_t)0x1234;
    unsigned long long value[8];
    MPI_Count time;
    int source;
    (void)number;
    interrupted++;
    went_wrong += MPI_T_pvar_stop(of_handler.session, of_handler.handle) != MPI_SUCCESS;
    went_wrong += MPI_T_pvar_start(of_handler.session, of_handler.handle) != MPI_SUCCESS;
    went_wrong += MPI_T_pvar_read(of_handler.session, of_handler.handle, value) != MPI_SUCCESS;
    MPI_T_pvar_write(of_handler.session, of_handler.handle, value);
    MPI_T_pvar_reset(of_handler.session, of_handler.handle);
    MPI_T_pvar_readreset(of_handler.session, of_handler.handle, value);
    went_wrong += MPI_T_source_get_timestamp(0, &time) != MPI_SUCCESS;
    went_wrong += MPI_T_event_read(none, 0, value) != MPI_T_ERR_INVALID_HANDLE;
    went_wrong += MPI_T_event_copy(none, value) != MPI_T_ERR_INVALID_HANDLE;
    went_wrong += MPI_T_event_get_timestamp(none, &time) != MPI_T_ERR_INVALID_HANDLE;
    went_wrong += MPI_T_event_get_source(none, &source) != MPI_T_ERR_INVALID_HANDLE;
}

static void *send_signals(void *unused)
{
    (void)unused;
    for (int i = 0; i < SIGNALS; i++) {
        pthread_kill(main_thread, SIGUSR2);
        usleep(100);
    }
    return NULL;
}

/* R302: calls that lock are interrupted, and those that interrupt them never wait for such a lock. */
static void check_signals(void)
{
    pthread_t sender;
    void (*before)(int) = signal(SIGUSR2, on_signal);
    of_handler = open_view();
    main_thread = pthread_self();
    pthread_create(&sender, NULL, send_signals, NULL);
    while (interrupted < SIGNALS / 4) {
        struct view view = open_view();
        MPI_T_pvar_handle_free(view.session, &view.handle);
        MPI_T_pvar_session_free(&view.session);
    }
    pthread_join(sender, NULL);
    signal(SIGUSR2, before);
    check(went_wrong == 0, "R302 calls in a signal handler");
    MPI_T_pvar_session_free(&of_handler.session);
}

/* R79, R105, R135, R215, R240, R311: what has one name here and on process 0 is one thing. */
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

/* R17, R86: what went away with MPI keeps its index and its name, and gives no handles. */
/* R192: those that it had are none any more. */
static void check_what_is_gone(struct view view)
{
    static char name[ROOM];
    int cvars, gone = 0;
    unsigned long long value[64];
    MPI_T_cvar_get_num(&cvars);
    for (int index = 0; index < cvars; index++) {
        int length = ROOM, found = -1, count, code;
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

/* Whether a variable is one of mpit's. */
static int is_ours(const char *name)
{
    return strstr(name, "_monitoring_") || strncmp(name, "calls_", 6) == 0;
}

/* A handle of the last variable of the host's that is bound to nothing and gives one. */
static struct view open_hosts_view(void)
{
    static char name[ROOM];
    struct view view = {MPI_T_PVAR_SESSION_NULL, MPI_T_PVAR_HANDLE_NULL};
    int index, count;
    MPI_T_pvar_get_num(&index);
    MPI_T_pvar_session_create(&view.session);
    while (--index >= 0) {
        int bind, length = ROOM;
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
    int provided, number, ours;
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
    check_early_info();
    check_frozen(1);
    view = open_view();
    check_another_init(view);

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    const unsigned long long sent = messages(view);
    exchange(MPI_COMM_WORLD);
    check(messages(view) == sent + 1, "R30 a handle from before MPI_Init"); /* R30 */
    check(update_number() >= number, "R213 it does not fall"); /* R213 */
    number = update_number();
    check(own_update_number() == ours && ours > 0, "R213 ours and the host's");
    check_another_init(view);
    check_frozen(0);
    after = describe(1);
    check_lines(before, after, "R62, R74 said otherwise before MPI_Init"); /* R62 */
    check(is_enumeration(values), "R74 an enumeration from before MPI_Init"); /* R74 */
    free(before);
    check_queries();
    check_strings();
    check_lists();
    check_generic(); /* R127 */
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
    check_lines(before, after, "R18 said otherwise in another life of the interface"); /* R18 */
    check(update_number() >= number, "R213 it does not fall in another life of the interface");
    MPI_T_finalize();
    check(replaced == asked, "R306 only this program calls what it has replaced");
    printf("rank %d: %d promises broken\n", rank, failures);
    return failures != 0;
}
