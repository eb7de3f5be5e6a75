/* R68: Items have names, unique in their enumeration. */
#include "conform.h"
#include "enum.h"
int main(void)
{
    for (int i = 0, n = VARIABLES(); i < n; i++)
        if (has_enum(i)) {
            static char all[256][256];
            MPI_T_enum_get_info(found, &items, NULL, NULL);
            for (int at = 0; at < items && at < 256; at++) {
                int size = 256, code = MPI_T_enum_get_item(found, at, &value, all[at], &size);
                if (code != MPI_SUCCESS || size < 2)
                    FAILS("the enumeration of %s: item %d has a name of length %d, code %d", name, at, size, code);
                for (int before = 0; before < at; before++)
                    if (strcmp(all[before], all[at]) == 0)
                        FAILS("the enumeration of %s: two items are called %s", name, all[at]);
            }
        }
    HOLDS(tried, "enumerations");
}
