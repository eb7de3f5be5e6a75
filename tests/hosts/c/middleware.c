/* A program that is not an MPI library and registers a table: visible if mpit is loaded, without effect if not. It also uses
 * functions that MPI libraries use internally, especially info objects, to detect a preloaded library that replaces them. */
#include "checks.h"
#include "mpit_plugin.h"

static struct mpit_sum retries = MPIT_SUM_INIT;
static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), .name = "middleware_retries", .description = "Packets sent again.",
     .pvar_class = MPIT_CLASS_COUNTER, .datatype = MPIT_UNSIGNED_LONG_LONG, .count = 1, .sum = &retries},
};
static int limit = 100;
static const struct mpit_cvar cvars[] = {
    {.size = sizeof(struct mpit_cvar), .name = "middleware_limit", .description = "Retries at most.", .datatype = MPIT_INT,
     .scope = MPIT_SCOPE_LOCAL, .count = 1, .storage = &limit},
};
static const struct mpit_table table = {MPIT_TABLE("middleware"), MPIT_LIST(pvars), MPIT_LIST(cvars)};

static void infos_and_windows(void)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0, *memory;
    MPI_Info info, copy;
    MPI_Win win;
    check(MPI_Info_create(&info) == MPI_SUCCESS && info != MPI_INFO_NULL, "MPI_Info_create");
    check(MPI_Info_set(info, "same_size", "true") == MPI_SUCCESS, "MPI_Info_set");
    check(MPI_Info_dup(info, &copy) == MPI_SUCCESS, "MPI_Info_dup");
    MPI_Info_get(copy, "same_size", MPI_MAX_INFO_VAL, value, &found);
    check(found && !strcmp(value, "true"), "MPI_Info_get");
    check(MPI_Win_allocate(64, 1, copy, MPI_COMM_WORLD, &memory, &win) == MPI_SUCCESS, "MPI_Win_allocate");
    memory[0] = 1;
    MPI_Win_free(&win);
    check(MPI_Info_free(&copy) == MPI_SUCCESS && copy == MPI_INFO_NULL, "MPI_Info_free");
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    int provided, index, rc, num = -1;
    unsigned long long value = 0;
    MPI_T_pvar_handle handle;
    check(mpit_offer(&table) == 0, "mpit_offer");
    MPI_Init(&argc, &argv);
    infos_and_windows();
    check(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS, "MPI_T_init_thread");
    check(MPI_T_cvar_get_num(&num) == MPI_SUCCESS && num > 100, "settings of the library");
    rc = MPI_T_pvar_get_index("middleware_retries", MPI_T_PVAR_CLASS_COUNTER, &index);
    if (rc == MPI_SUCCESS) {
        check(MPI_T_pvar_session_create(&session) == MPI_SUCCESS, "the session");
        handle = started(session, "middleware_retries", MPI_T_PVAR_CLASS_COUNTER, NULL, 1);
        mpit_counter_add(&retries, 3);
        check(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS, "MPI_T_pvar_read");
    } else {
        check(rc == MPI_T_ERR_INVALID_NAME || rc == MPI_T_ERR_INVALID_INDEX, "what is not there");
        mpit_counter_add(&retries, 3);
    }
    MPI_T_finalize();
    MPI_Finalize();
    printf("%s, %llu retries, %d failures\n", rc == MPI_SUCCESS ? "visible" : "not visible", value, failures);
    printf("limit %d\n", limit);
    return failures != 0;
}
