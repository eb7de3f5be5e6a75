/* The memory of this process, in KiB: all pages, and those that it alone has and has written. */
#include <stdio.h>

static void print_memory(void)
{
    char line[256];
    double kib;
    FILE *rollup = fopen("/proc/self/smaps_rollup", "r");
    while (rollup && fgets(line, sizeof line, rollup)) {
        if (sscanf(line, "Rss: %lf", &kib) == 1)
            printf("resident %.1f\n", kib);
        else if (sscanf(line, "Private_Dirty: %lf", &kib) == 1)
            printf("private %.1f\n", kib);
    }
    if (rollup)
        fclose(rollup);
}
