/* R38: With too little room the full length is returned. */
#include "conform.h"
#include "texts.h"
int main(void)
{
    int wrong[KINDS] = {0}, tried = 0;
    char text[1 << 16];
    INIT();
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0, full = 0; i < number(kind); i++, full = 0) {
            if (texts(kind, i, NULL, &full, NULL, NULL) || full < 3)
                continue;
            tried++;
            int size = full - 1;
            texts(kind, i, text, &size, NULL, NULL);
            wrong[kind] += size != full;
        }
    if (wrong[CVAR] + wrong[PVAR] + wrong[CATEGORY])
        FAILS("the length of a name with room for all but one character is not the full one:"
              " %d cvars, %d pvars, %d categories", wrong[CVAR], wrong[PVAR], wrong[CATEGORY]);
    HOLDS(tried, "names");
}
