/* R51: The names of items are cut as all others: with too little room the full length is returned. */
#include "conform.h"
#include "enum.h"
int main(void)
{
    for (int i = 0, n = VARIABLES(); i < n; i++)
        if (has_enum(i)) {
            int full = 0, size;
            MPI_T_enum_get_item(found, 0, &value, NULL, &full);
            size = full - 1;
            MPI_T_enum_get_item(found, 0, &value, text, &size);
            if (full > 2 && (size != full || (int)strlen(text) != full - 2))
                FAILS("the name of the first item of %s: length %d of %d, %s", name, size, full, text);
        }
    HOLDS(tried, "enumerations");
}
