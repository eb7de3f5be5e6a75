/* R203: With more room than needed the rest stays as it was. */
#include "conform.h"
#include "members.h"
int main(void)
{
    for (int n, i = 0, end = CATEGORIES(); i < end; i++)
        for (int kind = 0; kind < 3 && queried(i); kind++) {
            memset(members, -1, sizeof members);
            int code = list[kind](i, sizes[kind] + 3, members);
            if (++tried && (code != MPI_SUCCESS || members[sizes[kind]] != -1 || members[sizes[kind] + 2] != -1))
                FAILS("%s: more than the %d %s are written, code %d", name, sizes[kind], kinds[kind], code);
        }
    HOLDS(tried, "categories");
}
