/* R48: A query of the length, followed by one of the string, returns a string of that length. */
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
            int size = full;
            texts(kind, i, text, &size, NULL, NULL);
            wrong[kind] += size != full || (int)strlen(text) + 1 != full;
        }
    if (wrong[CVAR] + wrong[PVAR] + wrong[CATEGORY])
        FAILS("the length of a name is not the one measured before:"
              " %d cvars, %d pvars, %d categories", wrong[CVAR], wrong[PVAR], wrong[CATEGORY]);
    HOLDS(tried, "names");
}
