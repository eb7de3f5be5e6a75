/* R73: A value read from a control variable with an enumeration is one of its items. */
#include "conform.h"
#include "cvar.h"
int main(void)
{
    FOR_EACH(i)
        if (items != MPI_T_ENUM_NULL && type == MPI_INT && MPI_T_cvar_read(handle, value) == MPI_SUCCESS) {
            int number = 0, item = 0, at = 0;
            MPI_T_enum_get_info(items, &number, NULL, NULL);
            while (at < number && (MPI_T_enum_get_item(items, at, &item, NULL, NULL), item != *(int *)value))
                at++;
            if (at == number)
                FAILS("%s is %d, which is none of %d items", name, *(int *)value, number);
            tried++;
        }
    HOLDS(tried, "control variables with an enumeration");
}
