/* A tool that finds both kinds of entries of the small MPI library in one list. Prints what it finds. */
#include "mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int code, int expected, const char *what)
{
    if (code != expected) {
        printf("%s: %d instead of %d\n", what, code, expected);
        exit(EXIT_FAILURE);
    }
}
#define OK(CALL) must(CALL, MPI_SUCCESS, #CALL)
#define FAILS(CALL, CODE) must(CALL, CODE, #CALL)
#define SAME(VALUE, EXPECTED) must((int)(VALUE), (int)(EXPECTED), #VALUE)

static void list(const char *when)
{
    int num, class, bind, datatype, scope, readonly, continuous, verbosity;
    char name[40], desc[40];
    OK(MPI_T_cvar_get_num(&num));
    for (int at = 0; at < num; at++) {
        int name_len = sizeof name, desc_len = sizeof desc;
        OK(MPI_T_cvar_get_info(at, name, &name_len, &verbosity, &datatype, NULL, desc, &desc_len, &bind, &scope));
        printf("%s: cvar %d %s type %d bind %d scope %d\n", when, at, name, datatype, bind, scope);
    }
    OK(MPI_T_pvar_get_num(&num));
    for (int at = 0; at < num; at++) {
        int name_len = sizeof name, index;
        OK(MPI_T_pvar_get_info(at, name, &name_len, &verbosity, &class, &datatype, NULL, NULL, NULL, &bind, &readonly,
                               &continuous, NULL));
        printf("%s: pvar %d %s class %d type %d bind %d\n", when, at, name, class, datatype, bind);
        OK(MPI_T_pvar_get_index(name, class, &index));
        SAME(index, at);
    }
    FAILS(MPI_T_pvar_get_info(num, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
          MPI_T_ERR_INVALID_INDEX);
}

static MPI_T_pvar_handle handle(MPI_T_pvar_session session, const char *name, int class, void *object, int elements)
{
    int index, count;
    MPI_T_pvar_handle handle;
    OK(MPI_T_pvar_get_index(name, class, &index));
    OK(MPI_T_pvar_handle_alloc(session, index, object, &handle, &count));
    SAME(count, elements);
    return handle;
}

static void on_event(MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety safety, void *user_data)
{
    int tag, source;
    unsigned bytes;
    OK(MPI_T_event_read(event, 0, &tag));
    OK(MPI_T_event_read(event, 1, &bytes));
    OK(MPI_T_event_get_source(event, &source));
    printf("event: tag %d, %u bytes, source %d, safety %d, %s\n", tag, bytes, source, (int)safety, (char *)user_data);
    SAME(registration != 0, 1);
}

static void on_free(MPI_T_event_registration registration, MPI_T_cb_safety safety, void *user_data)
{
    (void)registration;
    printf("freed: safety %d, %s\n", (int)safety, (char *)user_data);
}

static void categories(void)
{
    int num, index, counts[3], events, indices[8];
    OK(MPI_T_category_get_num(&num));
    SAME(num, 2);
    OK(MPI_T_category_get_index("own", &index));
    OK(MPI_T_category_get_pvars(index, 8, indices));
    printf("category own: pvars %d %d %d\n", indices[0], indices[1], indices[2]);
    OK(MPI_T_category_get_index("mylib", &index));
    OK(MPI_T_category_get_info(index, NULL, NULL, NULL, NULL, &counts[0], &counts[1], &counts[2]));
    OK(MPI_T_category_get_num_events(index, &events));
    OK(MPI_T_category_get_pvars(index, 8, indices));
    printf("category mylib: %d cvars, %d pvars, %d events, pvar %d\n", counts[0], counts[1], events, indices[0]);
}

static void enumerations(void)
{
    int index, num, value, len = 20;
    char name[20];
    MPI_T_enum found;
    OK(MPI_T_pvar_get_index("mylib_phase", MPI_T_PVAR_CLASS_STATE, &index));
    OK(MPI_T_pvar_get_info(index, NULL, NULL, NULL, NULL, NULL, &found, NULL, NULL, NULL, NULL, NULL, NULL));
    OK(MPI_T_enum_get_info(found, &num, NULL, NULL));
    OK(MPI_T_enum_get_item(found, 1, &value, name, &len));
    printf("enumeration: %d items, %d is %s\n", num, value, name);
}

static void settings(void)
{
    int index, count, own = 0;
    unsigned limit = 0;
    MPI_T_cvar_handle handles[3];
    OK(MPI_T_cvar_get_index("own_limit", &index));
    OK(MPI_T_cvar_handle_alloc(index, NULL, &handles[0], &count));
    OK(MPI_T_cvar_read(handles[0], &own));
    OK(MPI_T_cvar_get_index("mylib_limit", &index));
    OK(MPI_T_cvar_handle_alloc(index, NULL, &handles[1], &count));
    OK(MPI_T_cvar_read(handles[1], &limit));
    printf("settings: %d, %u\n", own, limit);
    OK(MPI_T_cvar_get_index("mylib_early", &index));
    OK(MPI_T_cvar_handle_alloc(index, NULL, &handles[2], &count));
    FAILS(MPI_T_cvar_write(handles[2], &own), MPI_T_ERR_CVAR_SET_NEVER);
    limit = 50;
    OK(MPI_T_cvar_write(handles[1], &limit));
    FAILS(MPI_Send("", 51, MPI_CHAR, 0, 0, MPI_COMM_WORLD), MPI_T_ERR_INVALID);
    for (int at = 0; at < 3; at++)
        OK(MPI_T_cvar_handle_free(&handles[at]));
    FAILS(MPI_T_cvar_handle_free(&(MPI_T_cvar_handle){(MPI_T_cvar_handle)0x4300000000000001}), MPI_T_ERR_INVALID_HANDLE);
}

int main(void)
{
    int provided, own, index, changed[2];
    unsigned long long value, numbers[3];
    MPI_Comm self = MPI_COMM_SELF, world = MPI_COMM_WORLD;
    MPI_T_pvar_session sessions[2], ended;
    MPI_T_pvar_handle early;
    MPI_T_event_registration registration;
    FAILS(MPI_T_pvar_get_num(&own), MPI_T_ERR_NOT_INITIALIZED);
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    SAME(provided, MPI_THREAD_FUNNELED);
    list("before");
    OK(MPI_T_pvar_session_create(&sessions[0]));
    OK(MPI_T_pvar_get_index("mylib_ranks", MPI_T_PVAR_CLASS_GENERIC, &index));
    FAILS(MPI_T_pvar_handle_alloc(sessions[0], index, &world, &early, &own), MPI_T_ERR_INVALID_HANDLE);
    OK(MPI_T_pvar_session_free(&sessions[0]));
    OK(MPI_T_category_changed(&changed[0]));
    OK(MPI_Init(NULL, NULL));
    list("after");
    OK(MPI_T_category_changed(&changed[1]));
    SAME(changed[1] > changed[0], 1);
    categories();
    enumerations();
    settings();

    OK(MPI_T_pvar_session_create(&sessions[0]));
    OK(MPI_T_pvar_session_create(&sessions[1]));
    MPI_T_pvar_handle calls = handle(sessions[0], "own_calls", MPI_T_PVAR_CLASS_COUNTER, NULL, 1);
    MPI_T_pvar_handle sends = handle(sessions[0], "mylib_sends", MPI_T_PVAR_CLASS_COUNTER, NULL, 1);
    MPI_T_pvar_handle bytes = handle(sessions[1], "mylib_bytes", MPI_T_PVAR_CLASS_AGGREGATE, NULL, 1);
    MPI_T_pvar_handle most = handle(sessions[1], "mylib_queued", MPI_T_PVAR_CLASS_HIGHWATERMARK, NULL, 1);
    MPI_T_pvar_handle ranks = handle(sessions[1], "mylib_ranks", MPI_T_PVAR_CLASS_GENERIC, &world, 3);
    MPI_T_pvar_handle rank = handle(sessions[1], "mylib_ranks", MPI_T_PVAR_CLASS_GENERIC, &self, 1);
    OK(MPI_T_event_get_index("mylib_sent", &index));
    OK(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration));
    OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, "user data", on_event));
    FAILS(MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL), MPI_T_ERR_INVALID);

    /* One session counts from here, the other after the first message. */
    OK(MPI_T_pvar_start(sessions[0], MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_Send("", 5, MPI_CHAR, 0, 17, MPI_COMM_WORLD));
    OK(MPI_T_pvar_start(sessions[1], MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_Send("", 20, MPI_CHAR, 0, 18, MPI_COMM_WORLD));
    OK(MPI_Send("", 7, MPI_CHAR, 0, 19, MPI_COMM_WORLD));
    OK(MPI_T_pvar_read(sessions[0], calls, &own));
    OK(MPI_T_pvar_read(sessions[0], sends, &value));
    printf("read: %d, %llu", own, value);
    OK(MPI_T_pvar_read(sessions[1], bytes, &value));
    OK(MPI_T_pvar_read(sessions[1], most, &numbers[0]));
    printf(", %llu, %llu\n", value, numbers[0]);
    OK(MPI_T_pvar_readreset(sessions[1], bytes, &value));
    OK(MPI_T_pvar_read(sessions[1], bytes, &value));
    SAME(value, 0);
    OK(MPI_T_pvar_read(sessions[1], ranks, numbers));
    OK(MPI_T_pvar_read(sessions[1], rank, &value));
    printf("ranks: %llu %llu %llu, %llu\n", numbers[0], numbers[1], numbers[2], value);
    OK(MPI_T_event_handle_free(registration, "user data", on_free));

    FAILS(MPI_T_pvar_read(sessions[0], bytes, &value), MPI_T_ERR_INVALID_HANDLE);
    FAILS(MPI_T_pvar_start(sessions[1], ranks), MPI_T_ERR_PVAR_NO_STARTSTOP);
    FAILS(MPI_T_pvar_write(sessions[1], ranks, numbers), MPI_T_ERR_PVAR_NO_WRITE);
    OK(MPI_T_pvar_handle_free(sessions[0], &calls));
    OK(MPI_T_pvar_handle_free(sessions[0], &sends));
    ended = sessions[0];
    OK(MPI_T_pvar_session_free(&sessions[0]));
    FAILS(MPI_T_pvar_session_free(&ended), MPI_T_ERR_INVALID_SESSION);
    OK(MPI_T_finalize());
    FAILS(MPI_T_pvar_read(sessions[1], bytes, &value), MPI_T_ERR_NOT_INITIALIZED);
    OK(MPI_Finalize());
    printf("done\n");
    return 0;
}
