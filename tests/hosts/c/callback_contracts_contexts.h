/* Calls of the tools interface in event callbacks and in signal handlers, and a session to read in them. */
#ifndef CALLBACK_CONTRACTS_CONTEXTS_H
#define CALLBACK_CONTRACTS_CONTEXTS_H

#include "callback_contracts_replaced.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

static MPI_Comm world, self; /* Copies of the handles. */

/* A session with a running handle on the number of messages. */
struct view {
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
};

static struct view open_view(void)
{
    struct view view = {MPI_T_PVAR_SESSION_NULL, MPI_T_PVAR_HANDLE_NULL};
    check(MPI_T_pvar_session_create(&view.session) == MPI_SUCCESS, "session");
    view.handle = started(view.session, "pml_monitoring_messages_total", MPI_T_PVAR_CLASS_COUNTER, NULL, 1);
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

static int keys(MPI_Info info)
{
    int count = -1;
    MPI_Info_get_nkeys(info, &count);
    return count;
}

static MPI_T_event_cb_function on_message;

/* Proves R224, R225, R228, R234, R235, R238, R243, R266. */
static void check_events(void)
{
    MPI_Datatype types[16], some[16];
    MPI_Aint places[16], few[16];
    int event = event_named("pml_message_sent"), all = 16, elements = 2;
    MPI_Info one = MPI_INFO_NULL, other = MPI_INFO_NULL;
    MPI_T_event_registration registration;
    check(MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_SUCCESS, "R224, R228 NULL");
    MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &one);
    MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &other);
    check(one != MPI_INFO_NULL && other != MPI_INFO_NULL && one != other, "R224 each query makes an info object");
    check(keys(one) == 0 && keys(other) == 0, "R225 it is empty");
    check(MPI_Info_free(&one) == MPI_SUCCESS && MPI_Info_free(&other) == MPI_SUCCESS, "R224 it can be freed");

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
    MPI_Info_set(one, "no_such_hint", "true");
    registration = listen_to(event, &world, MPI_T_CB_REQUIRE_NONE, NULL, NULL);
    MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, one, NULL, on_message);
    MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_message);
    MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &other);
    check(keys(other) == 0, "R266 hints of the callback before");
    MPI_Info_free(&other);
    MPI_T_event_handle_free(registration, NULL, NULL);
    MPI_Info_free(&one);
}

static int received;
static struct view of_callback;

#define WORKS(call) check((call) == MPI_SUCCESS, "in a callback: " #call)

/* Proves R34, R189, R190, R298, R300: safety level NONE, which permits all calls. */
static void on_message(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                       void *user_data)
{
    static char text[8192];
    int provided, count, number, text_size, event, out = 1, in = 0;
    MPI_Count time;
    MPI_T_cvar_handle cvar;
    MPI_T_event_registration other;
    MPI_Info info;
    unsigned long long value[8];
    received++;
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
    check(MPI_T_cvar_write(cvar, "another") == MPI_T_ERR_CVAR_SET_NEVER, "in a callback: cvar_write");
    WORKS(MPI_T_cvar_write(cvar, text));
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
    text_size = sizeof text;
    WORKS(MPI_T_category_get_info(0, text, &text_size, NULL, NULL, NULL, NULL, NULL));
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
    check(of_callback.handle == MPI_T_PVAR_HANDLE_NULL, "R58"); /* Proves R58. */
    WORKS(MPI_T_pvar_session_free(&of_callback.session));
    check(of_callback.session == MPI_T_PVAR_SESSION_NULL, "R58"); /* Proves R58. */
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
    MPI_T_event_registration registration =
        listen_to(event_named("pml_message_sent"), &world, MPI_T_CB_REQUIRE_NONE, on_message, NULL);
    exchange(MPI_COMM_WORLD);
    check(received == 1, "R298 the callback came to its end");
    MPI_T_event_handle_free(registration, NULL, NULL);
}

enum { SIGNALS = 500 };

static struct view of_handler;
static volatile sig_atomic_t interrupted, went_wrong;
static pthread_t main_thread;

/* All calls that are permitted here, on a variable of mpit; no instance is in flight. */
static void on_signal(int number)
{
    const MPI_T_event_instance none = (MPI_T_event_instance)(uintptr_t)0x1234;
    unsigned long long value[8];
    MPI_Count time;
    int source;
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
    for (int i = 0; i < SIGNALS; i++) {
        pthread_kill(main_thread, SIGUSR2);
        /* Two signals before the thread continues would be merged. */
        do
            usleep(100);
        while (interrupted <= i);
    }
    return NULL;
}

/* Proves R302: a call in a signal handler never waits for a lock of the call that it interrupts. */
static void check_signals(void)
{
    pthread_t sender;
    void (*before)(int) = signal(SIGUSR2, on_signal);
    of_handler = open_view();
    main_thread = pthread_self();
    pthread_create(&sender, NULL, send_signals, NULL);
    while (interrupted < SIGNALS) {
        struct view view = open_view();
        MPI_T_pvar_handle_free(view.session, &view.handle);
        MPI_T_pvar_session_free(&view.session);
    }
    pthread_join(sender, NULL);
    signal(SIGUSR2, before);
    check(went_wrong == 0, "R302 calls in a signal handler");
    MPI_T_pvar_session_free(&of_handler.session);
}

#endif
