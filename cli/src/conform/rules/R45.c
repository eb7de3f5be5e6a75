/* R45: A missing description is the empty string, of length 1. */
#include "conform.h"
#include "texts.h"
int main(void)
{
    int wrong[KINDS] = {0}, tried = 0;
    char text[1 << 16];
    INIT();
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0, full = 0; i < number(kind); i++, full = 0) {
            int size = sizeof text;
            memset(text, '#', sizeof text);
            if (texts(kind, i, NULL, &full, text, &size))
                continue;
            tried++;
            wrong[kind] += size < 1 || text[size - 1] != 0;
        }
    if (wrong[CVAR] + wrong[PVAR] + wrong[CATEGORY])
        FAILS("the length of a description is less than 1, or it has no NUL there:"
              " %d cvars, %d pvars, %d categories", wrong[CVAR], wrong[PVAR], wrong[CATEGORY]);
    HOLDS(tried, "names");
}
