/* A tool that loads a plug-in while MPI runs, and deactivates it:
 *
 *     plugin_lifecycle PLUGIN     (one process; the plug-in is tests/plugins/c/good.c, named acme)
 *
 * Indices must stay, new entries must follow all existing ones, and handles must be valid until the deactivation. */
#include "checks.h"
#include "mpit_plugin.h"

#define MOST 4096
static char names[MOST][256];

static void name_of(int index, char name[256])
{
    int len = 256;
    name[0] = 0;
    MPI_T_pvar_get_info(index, name, &len, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
}

static void check_names(int num)
{
    char now[256];
    for (int index = 0; index < num; index++) {
        name_of(index, now);
        check(strcmp(now, names[index]) == 0, "an index stays whose it is");
    }
}

static int received, ended;

EVENT_CALLBACK(on_done)
{
    received++;
}

static void on_end(MPI_T_event_registration registration, MPI_T_cb_safety safety, void *user_data)
{
    ended++;
}

int main(int argc, char **argv)
{
    int before, now, plugin = -1, count, changed, changed_now;
    unsigned long long value = 0;
    MPI_T_pvar_handle step, work, again;
    MPI_T_cvar_handle limit;
    MPI_T_event_registration registration;

    MPI_Init(&argc, &argv);
    start_tool();
    MPI_T_pvar_get_num(&before);
    check(argc == 2 && before > 0 && before < MOST, "there is something");
    for (int index = 0; index < before; index++)
        name_of(index, names[index]);
    MPI_T_category_changed(&changed);

    check(mpit_plugin_load(argv[1], &plugin) == MPI_SUCCESS && plugin == 0, "it is loaded");
    MPI_T_pvar_get_num(&now);
    check(now == before + 4, "four variables more");
    check_names(before);
    MPI_T_category_changed(&changed_now);
    check(changed_now == changed + 1, "categories changed once");
    int step_index = pvar_named("acme_step", MPI_T_PVAR_CLASS_SIZE);
    int work_index = pvar_named("acme_work", MPI_T_PVAR_CLASS_COUNTER);
    check(step_index >= before && work_index >= before, "what is new is behind");

    check(MPI_T_pvar_handle_alloc(session, step_index, NULL, &step, &count) == MPI_SUCCESS, "a handle");
    check(MPI_T_pvar_handle_alloc(session, work_index, NULL, &work, &count) == MPI_SUCCESS, "another");
    limit = setting("acme_limit");
    registration = listen_to(event_named("acme_done"), NULL, MPI_T_CB_REQUIRE_NONE, on_done, NULL);
    MPI_T_pvar_start(session, work);
    MPI_T_pvar_read(session, step, &value);
    check(MPI_T_pvar_read(session, work, &value) == MPI_SUCCESS && value == 1 && received == 1, "it works");

    check(mpit_plugin_load(argv[1], &count) == MPI_SUCCESS && count == plugin, "it is loaded already");
    check(mpit_plugin_deactivate(plugin) == MPI_SUCCESS, "it is deactivated");
    check(mpit_plugin_deactivate(plugin) == MPI_SUCCESS, "it stays so");
    int number = 77;
    check(MPI_T_pvar_read(session, work, &value) == MPI_T_ERR_INVALID_HANDLE, "no read");
    check(MPI_T_pvar_stop(session, work) == MPI_T_ERR_INVALID_HANDLE, "no stop");
    check(MPI_T_cvar_read(limit, &number) == MPI_T_ERR_INVALID_HANDLE && number == 77, "no read of a setting");
    check(MPI_T_cvar_write(limit, &number) == MPI_T_ERR_INVALID_HANDLE, "no write of a setting");
    check(MPI_T_pvar_handle_alloc(session, work_index, NULL, &again, &count) == MPI_T_ERR_INVALID_INDEX, "no handle");
    check(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_done)
               == MPI_T_ERR_INVALID_HANDLE, "no callback");
    check_names(before);
    char name[256];
    name_of(work_index, name);
    check(strcmp(name, "acme_work") == 0, "it is described as before");
    MPI_T_pvar_get_num(&count);
    check(count == now, "as many as before");

    check(mpit_plugin_load(argv[1], &count) != MPI_SUCCESS, "it is not loaded again");
    check(pvar_named("acme_work", MPI_T_PVAR_CLASS_COUNTER) == work_index, "it is under its index");
    check(MPI_T_pvar_handle_free(session, &work) == MPI_SUCCESS, "handles can be freed");
    check(MPI_T_cvar_handle_free(&limit) == MPI_SUCCESS, "so can those of settings");
    check(MPI_T_event_handle_free(registration, NULL, on_end) == MPI_SUCCESS && ended == 1, "and registrations");
    check(received == 1, "nothing more is received");
    check(mpit_plugin_load("/nowhere/acme.so", &count) != MPI_SUCCESS, "no such file");
    check(mpit_plugin_deactivate(5) != MPI_SUCCESS, "no such plug-in");

    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    /* After MPI_T_finalize, the calls have no effect. */
    check(mpit_plugin_deactivate(plugin) == MPI_SUCCESS, "it is still deactivated at the end");
    printf("plugin_lifecycle: %d failures\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
