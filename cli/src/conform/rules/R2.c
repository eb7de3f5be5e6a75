/* R2: A call with an invalid index, name or handle answers a code of the tools interface. */
#include "conform.h"
#define E(name) MPI_T_ERR_##name
static void require(const char *call, int code)
{
    const int known[] = {
#if defined MPI_T_ERR_NOT_ACCESSIBLE || defined MPI_ABI_VERSION
        E(NOT_ACCESSIBLE), E(NOT_SUPPORTED),
#endif
        MPI_SUCCESS, E(INVALID), E(MEMORY), E(NOT_INITIALIZED), E(CANNOT_INIT), E(INVALID_INDEX), E(INVALID_ITEM),
        E(INVALID_NAME), E(INVALID_HANDLE), E(OUT_OF_HANDLES), E(OUT_OF_SESSIONS), E(INVALID_SESSION), E(CVAR_SET_NOT_NOW),
        E(CVAR_SET_NEVER), E(PVAR_NO_STARTSTOP), E(PVAR_NO_WRITE), E(PVAR_NO_ATOMIC)};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (code == known[i]) return;
    FAILS("%s answers %d, which is no MPI_T_ERR code", call, code);
}
int main(void)
{
    int n, index, count;
    MPI_T_cvar_handle handle;
    require("MPI_T_finalize without an init", MPI_T_finalize());
    require("MPI_T_cvar_get_num without an init", MPI_T_cvar_get_num(&n));
    INIT();
    require("MPI_T_cvar_get_index of an unknown name", MPI_T_cvar_get_index("no such name", &index));
    require("MPI_T_pvar_get_index", MPI_T_pvar_get_index("no such name", MPI_T_PVAR_CLASS_COUNTER, &index));
    require("MPI_T_category_get_index of an unknown name", MPI_T_category_get_index("no such name", &index));
    MPI_T_cvar_get_num(&n);
    require("MPI_T_cvar_get_info of the number", MPI_T_cvar_get_info(n, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    require("MPI_T_cvar_handle_alloc of the number", MPI_T_cvar_handle_alloc(n, NULL, &handle, &count));
    MPI_T_category_get_num(&n);
    require("MPI_T_category_get_info of the number", MPI_T_category_get_info(n, 0, 0, 0, 0, 0, 0, 0));
    HOLDS(1, "");
}
