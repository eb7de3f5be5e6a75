/* R67: Enumerations of one name are one enumeration. */
#include "conform.h"
#include "enum.h"
int main(void)
{
    for (int i = 0, n = VARIABLES(); i < n; i++)
        if (has_enum(i)) {
            static struct { char name[256]; int items; } known[4096];
            int at = 0;
            MPI_T_enum_get_info(found, &items, text, &(int){sizeof text});
            while (at < 4095 && *known[at].name && strcmp(known[at].name, text) != 0)
                at++;
            if (*known[at].name && known[at].items != items)
                FAILS("two enumerations called %s have %d and %d items", text, known[at].items, items);
            strcpy(known[at].name, text);
            known[at].items = items;
        }
    HOLDS(tried, "enumerations");
}
