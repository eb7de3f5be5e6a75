/* R70: An item index that is out of range gives INVALID_INDEX, or before MPI 4.0 INVALID_ITEM. */
#include "conform.h"
#include "enum.h"
int main(void)
{
    for (int i = 0, n = VARIABLES(); i < n; i++)
        if (has_enum(i)) {
            MPI_T_enum_get_info(found, &items, NULL, NULL);
            const int invalid[] = {items, -1};
            for (int at = 0; at < 2; at++) {
                int code = MPI_T_enum_get_item(found, invalid[at], &value, text, &(int){sizeof text});
                if (code != MPI_T_ERR_INVALID_INDEX && (MPI_VERSION >= 4 || code != MPI_T_ERR_INVALID_ITEM))
                    FAILS("the enumeration of %s, item %d of %d: code %d", name, invalid[at], items, code);
            }
        }
    HOLDS(tried, "enumerations");
}
