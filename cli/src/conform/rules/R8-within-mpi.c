/* R8: After the last finalize, calls answer NOT_INITIALIZED, also within MPI. */
#include "conform.h"
#define REQUIRE(call)                                                                  \
    if ((code = call) != MPI_T_ERR_NOT_INITIALIZED)                                    \
    FAILS("%s answers code %d after the last finalize", #call, code)
int main(void)
{
    int code, n, i;
    MPI_T_pvar_session session;
    INIT();
    MPI_T_finalize();
    REQUIRE(MPI_T_cvar_get_num(&n));
    REQUIRE(MPI_T_pvar_get_num(&n));
    REQUIRE(MPI_T_category_get_num(&n));
    REQUIRE(MPI_T_category_changed(&n));
    REQUIRE(MPI_T_cvar_get_index("any", &i));
    REQUIRE(MPI_T_pvar_get_index("any", MPI_T_PVAR_CLASS_COUNTER, &i));
    REQUIRE(MPI_T_category_get_index("any", &i));
    REQUIRE(MPI_T_cvar_get_info(0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    REQUIRE(MPI_T_pvar_session_create(&session));
    REQUIRE(MPI_T_finalize());
    HOLDS(1, "");
}
