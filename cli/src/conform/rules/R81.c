/* R81: The description of a control variable never changes, once it was returned. */
#include "conform.h"
struct info { char name[256], desc[4096]; int code, verbosity, bind, scope; MPI_Datatype type; MPI_T_enum items; };
static void query(int i, struct info *info)
{
    info->code = MPI_T_cvar_get_info(i, info->name, &(int){256}, &info->verbosity, &info->type, &info->items, info->desc,
                                     &(int){4096}, &info->bind, &info->scope);
}
int main(void)
{
    int n, tried = 0, gone = 0, last = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &n);
    MPI_T_cvar_get_num(&n);
    struct info *before = calloc(n + 1, sizeof *before), now;
    for (int i = 0; i < n; i++)
        query(i, &before[i]);
    MPI_Init(NULL, NULL);
    for (int i = 0; i < n; i++)
        if (before[i].code == MPI_SUCCESS && ++tried) {
            query(i, &now);
            if (now.code != MPI_SUCCESS && ++gone)
                last = i;
            else if (strcmp(now.name, before[i].name) || strcmp(now.desc, before[i].desc) || now.scope != before[i].scope
                     || now.verbosity != before[i].verbosity || now.type != before[i].type || now.bind != before[i].bind)
                FAILS("MPI_Init changes what is returned for %s", before[i].name);
        }
    if (gone)
        FAILS("after MPI_Init, %d of %d cvars answer a code, such as %s", gone, tried, before[last].name);
    HOLDS(tried, "control variables before MPI_Init");
}
