/* R205: Every index in the list of a category can be queried. */
#include "conform.h"
#include "members.h"
int main(void)
{
    for (int n, i = 0, end = CATEGORIES(); i < end; i++)
        for (int kind = 0; kind < 3 && queried(i); kind++) {
            list[kind](i, sizes[kind] < CAPACITY ? sizes[kind] : CAPACITY, members);
            for (int at = 0; at < sizes[kind]; at++) {
                const int of = members[at];
                int code = kind == 0   ? MPI_T_cvar_get_info(of, 0, 0, 0, 0, 0, 0, 0, 0, 0)
                           : kind == 1 ? MPI_T_pvar_get_info(of, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
                                       : MPI_T_category_get_info(of, 0, 0, 0, 0, 0, 0, 0);
                if (++tried && code != MPI_SUCCESS)
                    FAILS("%s lists %d among its %s, whose query answers code %d", name, of, kinds[kind], code);
            }
        }
    HOLDS(tried, "categories with members");
}
