/* R89: A handle of a control variable has at least one element. */
#include "conform.h"
#include "cvar.h"
int main(void)
{
    FOR_EACH(i)
        if (++tried && count < 1)
            FAILS("%s has count %d", name, count);
    HOLDS(tried, "control variables with a handle");
}
