/* R56: Kinds of objects, scopes and classes are all there, and distinct within their family. */
#include "conform.h"
static const int binds[] = {
#if MPI_VERSION >= 4
    MPI_T_BIND_MPI_SESSION,
#endif
    MPI_T_BIND_NO_OBJECT, MPI_T_BIND_MPI_COMM, MPI_T_BIND_MPI_DATATYPE, MPI_T_BIND_MPI_ERRHANDLER, MPI_T_BIND_MPI_FILE,
    MPI_T_BIND_MPI_GROUP, MPI_T_BIND_MPI_OP, MPI_T_BIND_MPI_REQUEST, MPI_T_BIND_MPI_WIN, MPI_T_BIND_MPI_MESSAGE,
    MPI_T_BIND_MPI_INFO};
static const int scopes[] = {MPI_T_SCOPE_CONSTANT, MPI_T_SCOPE_READONLY, MPI_T_SCOPE_LOCAL, MPI_T_SCOPE_GROUP,
                             MPI_T_SCOPE_GROUP_EQ, MPI_T_SCOPE_ALL, MPI_T_SCOPE_ALL_EQ};
static const int classes[] = {
    MPI_T_PVAR_CLASS_STATE,        MPI_T_PVAR_CLASS_LEVEL,        MPI_T_PVAR_CLASS_SIZE,    MPI_T_PVAR_CLASS_PERCENTAGE,
    MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_T_PVAR_CLASS_LOWWATERMARK, MPI_T_PVAR_CLASS_COUNTER, MPI_T_PVAR_CLASS_AGGREGATE,
    MPI_T_PVAR_CLASS_TIMER,        MPI_T_PVAR_CLASS_GENERIC};
static void require_distinct(const char *family, const int *all, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (all[i] == all[j])
                FAILS("two %s are %d", family, all[i]);
}
int main(void)
{
    require_distinct("kinds of objects", binds, sizeof binds / sizeof *binds);
    require_distinct("scopes", scopes, sizeof scopes / sizeof *scopes);
    require_distinct("classes", classes, sizeof classes / sizeof *classes);
    HOLDS(1, "");
}
