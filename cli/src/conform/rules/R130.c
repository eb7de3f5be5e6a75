/* R130: The description of a performance variable never changes, once it was returned. */
#include "conform.h"
struct info { char name[256], desc[4096]; int code, verbosity, class, bind, flags[3]; MPI_Datatype type; };
static void query(int i, struct info *info)
{
    memset(info, 0, sizeof *info);
    info->code = MPI_T_pvar_get_info(i, info->name, &(int){256}, &info->verbosity, &info->class, &info->type, 0, info->desc,
                                     &(int){4096}, &info->bind, &info->flags[0], &info->flags[1], &info->flags[2]);
}
int main(void)
{
    int n, tried = 0, gone = 0, last = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &n);
    MPI_T_pvar_get_num(&n);
    struct info *before = calloc(n + 1, sizeof *before), now;
    for (int i = 0; i < n; i++)
        query(i, &before[i]);
    MPI_Init(NULL, NULL);
    for (int i = 0; i < n; i++)
        if (before[i].code == MPI_SUCCESS && ++tried) {
            query(i, &now);
            if (now.code != MPI_SUCCESS && ++gone)
                last = i;
            else if (memcmp(&before[i], &now, sizeof now) != 0)
                FAILS("MPI_Init changes what is returned for %s", before[i].name);
        }
    if (gone)
        FAILS("after MPI_Init, %d of %d pvars answer a code, such as %s", gone, tried, before[last].name);
    HOLDS(tried, "performance variables before MPI_Init");
}
