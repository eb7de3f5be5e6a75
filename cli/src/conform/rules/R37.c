/* R37: With enough room: the whole string, its NUL, the full length, and not a byte more. */
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
            int size = full + 1;
            memset(text, '#', full + 2);
            texts(kind, i, text, &size, NULL, NULL);
            wrong[kind] += size != full || (int)strlen(text) != full - 1 || text[full] != '#';
        }
    if (wrong[CVAR] + wrong[PVAR] + wrong[CATEGORY])
        FAILS("a name is not copied as a whole:"
              " %d cvars, %d pvars, %d categories", wrong[CVAR], wrong[PVAR], wrong[CATEGORY]);
    HOLDS(tried, "names");
}
