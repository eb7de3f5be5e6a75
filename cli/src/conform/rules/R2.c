/* R2: A call with an invalid index, name or handle answers a code of the tools interface. */
#include "conform.h"
static void require(const char *call, int code)
{
    const int known[] = {MPI_T_ERR_INVALID, MPI_T_ERR_MEMORY, MPI_T_ERR_NOT_INITIALIZED, MPI_T_ERR_CANNOT_INIT,
                         MPI_T_ERR_INVALID_INDEX, MPI_T_ERR_INVALID_ITEM, MPI_T_ERR_INVALID_NAME,
                         MPI_T_ERR_INVALID_HANDLE, MPI_T_ERR_OUT_OF_HANDLES, MPI_T_ERR_OUT_OF_SESSIONS,
                         MPI_T_ERR_INVALID_SESSION, MPI_SUCCESS};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (code == known[i])
            return;
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
