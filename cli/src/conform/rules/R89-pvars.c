/* R89: A handle of a performance variable has at least one element. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i) {
        if (++tried && count < 1)
            FAILS("%s has count %d", name, count);
    }
    HOLDS(tried, "performance variables with a handle");
}
