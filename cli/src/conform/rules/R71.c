/* R71: Items keep their order. */
#include "conform.h"
#include "enum.h"
int main(void)
{
    for (int i = 0, n = VARIABLES(); i < n; i++)
        if (has_enum(i)) {
            MPI_T_enum_get_info(found, &items, NULL, NULL);
            for (int at = 0, again; at < items; at++) {
                char first[256] = "";
                MPI_T_enum_get_item(found, at, &value, first, &(int){sizeof first});
                MPI_T_enum_get_item(found, at, &again, text, &(int){sizeof text});
                if (value != again || strcmp(first, text) != 0)
                    FAILS("the enumeration of %s, item %d: %s %d, then %s %d", name, at, first, value, text, again);
            }
        }
    HOLDS(tried, "enumerations");
}
