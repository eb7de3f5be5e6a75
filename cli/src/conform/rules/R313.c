/* R313: With the standard's ABI, constants have its numbers. */
#include "conform.h"
#ifdef MPI_ABI_VERSION
static const int wanted[][2] = {
    {MPI_T_ERR_CANNOT_INIT, 1001},     {MPI_T_ERR_NOT_ACCESSIBLE, 1002},   {MPI_T_ERR_NOT_INITIALIZED, 1003},
    {MPI_T_ERR_NOT_SUPPORTED, 1004},   {MPI_T_ERR_MEMORY, 1005},           {MPI_T_ERR_INVALID, 1006},
    {MPI_T_ERR_INVALID_INDEX, 1007},   {MPI_T_ERR_INVALID_ITEM, 1008},     {MPI_T_ERR_INVALID_SESSION, 1009},
    {MPI_T_ERR_INVALID_HANDLE, 1010},  {MPI_T_ERR_INVALID_NAME, 1011},     {MPI_T_ERR_OUT_OF_HANDLES, 1012},
    {MPI_T_ERR_OUT_OF_SESSIONS, 1013}, {MPI_T_ERR_CVAR_SET_NOT_NOW, 1014}, {MPI_T_ERR_CVAR_SET_NEVER, 1015},
    {MPI_T_ERR_PVAR_NO_WRITE, 1016},   {MPI_T_ERR_PVAR_NO_STARTSTOP, 1017}, {MPI_T_ERR_PVAR_NO_ATOMIC, 1018},
    {MPI_T_BIND_NO_OBJECT, 1},         {MPI_T_BIND_MPI_SESSION, 12},       {MPI_T_SCOPE_CONSTANT, 1},
    {MPI_T_SCOPE_ALL_EQ, 7},           {MPI_T_PVAR_CLASS_STATE, 1},        {MPI_T_PVAR_CLASS_GENERIC, 10},
    {MPI_T_VERBOSITY_USER_BASIC, 9},   {MPI_T_VERBOSITY_MPIDEV_ALL, 36},   {MPI_THREAD_MULTIPLE, 4096},
    {MPI_T_CB_REQUIRE_NONE, 0},        {MPI_T_CB_REQUIRE_THREAD_SAFE, 15}, {MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, 63}};
#endif
int main(void)
{
#ifdef MPI_ABI_VERSION
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (wanted[i][0] != wanted[i][1])
            FAILS("constant %zu of this list is %d, and %d in the standard", i, wanted[i][0], wanted[i][1]);
    HOLDS(1, "");
#endif
    HOLDS(0, "standard ABI");
}
