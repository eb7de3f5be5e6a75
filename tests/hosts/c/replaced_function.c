/* A library for LD_PRELOAD or LD_AUDIT that replaces a function of the C library. */
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>

int getloadavg(double *averages, int count)
{
    for (int i = 0; i < count; i++)
        averages[i] = 42;
    return count;
}

unsigned la_version(unsigned version)
{
    return version;
}
