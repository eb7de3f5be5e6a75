/* R202: In an array that is too short as many members are written as fit, all distinct, and not an entry more. */
#include "conform.h"
#include "members.h"
int main(void)
{
    for (int n, i = 0, end = CATEGORIES(); i < end; i++)
        for (int kind = 0; kind < 3 && queried(i); kind++) {
            int length = sizes[kind] - 1;
            if (length < 1)
                continue;
            memset(members, -1, sizeof members);
            int code = list[kind](i, length, members);
            if (++tried && (code != MPI_SUCCESS || members[length] != -1 || members[length - 1] == -1))
                FAILS("%s: %d %s in an array for %d, code %d", name, sizes[kind], kinds[kind], length, code);
            for (int at = 1; at < length; at++)
                if (members[at] == members[at - 1])
                    FAILS("%s: two of the %s are %d", name, kinds[kind], members[at]);
        }
    HOLDS(tried, "categories with two members");
}
