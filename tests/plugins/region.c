/* A library that a program opens at run time, with a region of its own. */
#include <mpit_region.h>

__attribute__((visibility("default"))) void in_region(void (*work)(void));
void in_region(void (*work)(void))
{
    mpit_region_begin("of a library");
    work();
    mpit_region_end("of a library");
}
