/* R1: The functions of the tools interface are there, each with its PMPI twin. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include "conform.h"
/* MPI-3.1 has the functions up to the empty name. */
static const char *const names[] = {
    "init_thread", "finalize", "enum_get_info", "enum_get_item", "cvar_get_num", "cvar_get_info", "cvar_get_index",
    "cvar_handle_alloc", "cvar_handle_free", "cvar_read", "cvar_write", "pvar_get_num", "pvar_get_info", "pvar_get_index",
    "pvar_session_create", "pvar_session_free", "pvar_handle_alloc", "pvar_handle_free", "pvar_start", "pvar_stop",
    "pvar_read", "pvar_write", "pvar_reset", "pvar_readreset", "category_get_num", "category_get_info",
    "category_get_index", "category_get_cvars", "category_get_pvars", "category_get_categories", "category_changed", "",
    "source_get_num", "source_get_info", "source_get_timestamp", "event_get_num", "event_get_info", "event_get_index",
    "event_handle_alloc", "event_handle_set_info", "event_handle_get_info", "event_register_callback",
    "event_callback_set_info", "event_callback_get_info", "event_handle_free", "event_set_dropped_handler", "event_read",
    "event_copy", "event_get_timestamp", "event_get_source", "category_get_num_events", "category_get_events"};
int main(void)
{
    char name[64];
    INIT();
    if (!dlsym(RTLD_DEFAULT, "MPI_Init"))
        END(2, "not applicable: the MPI library is linked statically");
    for (size_t i = 0; i < sizeof names / sizeof *names && (*names[i] || MPI_VERSION >= 4); i++)
        for (int twin = 0; twin < 2 && *names[i]; twin++) {
            snprintf(name, sizeof name, "%sMPI_T_%s", twin ? "P" : "", names[i]);
            if (!dlsym(RTLD_DEFAULT, name))
                FAILS("MPI %d.%d without %s", MPI_VERSION, MPI_SUBVERSION, name);
        }
    HOLDS(1, "");
}
