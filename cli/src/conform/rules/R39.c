/* R39: Room that is one short costs the last character, and the string ends with a NUL. */
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
            char whole[1 << 16];
            texts(kind, i, whole, &full, NULL, NULL);
            memset(text, '#', full + 1);
            texts(kind, i, text, &(int){full - 1}, NULL, NULL);
            wrong[kind] += strncmp(text, whole, full - 2) != 0 || text[full - 2] != 0 || text[full - 1] != '#';
        }
    if (wrong[CVAR] + wrong[PVAR] + wrong[CATEGORY])
        FAILS("a name in too little room is not cut:"
              " %d cvars, %d pvars, %d categories", wrong[CVAR], wrong[PVAR], wrong[CATEGORY]);
    HOLDS(tried, "names");
}
