/* F17: A handle can be made of each performance variable without an object, or of a communicator. */
#include "conform.h"
#include "pvar.h"
int main(void)
{
    FOR_EACH(i)
        tried++;
    HOLDS(tried, "performance variables with a handle");
}
