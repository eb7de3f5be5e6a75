/* R65: An enumeration has at least one item, and never another number of them. */
#include "conform.h"
#include "enum.h"
int main(void)
{
    for (int i = 0, n = VARIABLES(); i < n; i++)
        if (has_enum(i)) {
            int code = MPI_T_enum_get_info(found, &items, NULL, NULL), again = 0;
            MPI_T_enum_get_info(found, &again, NULL, NULL);
            if (code != MPI_SUCCESS || items < 1 || items != again)
                FAILS("the enumeration of %s: %d items, then %d, code %d", name, items, again, code);
        }
    HOLDS(tried, "enumerations");
}
