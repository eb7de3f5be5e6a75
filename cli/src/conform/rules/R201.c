/* R201: The numbers returned for a category are the lengths of its lists. */
#include "conform.h"
#include "members.h"
int main(void)
{
    for (int n, i = 0, end = CATEGORIES(); i < end; i++)
        for (int kind = 0; kind < 3 && queried(i); kind++) {
            memset(members, -1, sizeof members);
            int listed = 0, code = list[kind](i, CAPACITY, members);
            while (listed < CAPACITY && members[listed] != -1)
                listed++;
            tried += listed > 0;
            if (code != MPI_SUCCESS || listed != sizes[kind])
                FAILS("%s: %d %s, and %d in the list, code %d", name, sizes[kind], kinds[kind], listed, code);
        }
    HOLDS(tried, "categories with members");
}
