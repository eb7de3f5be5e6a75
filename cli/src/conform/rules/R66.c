/* R66: An enumeration has a name. */
#include "conform.h"
#include "enum.h"
int main(void)
{
    for (int i = 0, n = VARIABLES(); i < n; i++)
        if (has_enum(i)) {
            int size = sizeof text, code = MPI_T_enum_get_info(found, &items, text, &size);
            if (code != MPI_SUCCESS || size < 2 || !*text)
                FAILS("the name of the enumeration of %s has length %d, code %d", name, size, code);
        }
    HOLDS(tried, "enumerations");
}
