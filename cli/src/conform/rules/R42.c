/* R42: Without a buffer the full length is returned, whatever room was named. */
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
            int size = 2, more = 1 << 20;
            texts(kind, i, NULL, &size, NULL, NULL);
            texts(kind, i, NULL, &more, NULL, NULL);
            wrong[kind] += size != full || more != full;
        }
    if (wrong[CVAR] + wrong[PVAR] + wrong[CATEGORY])
        FAILS("the length of a name without a buffer depends on the room named:"
              " %d cvars, %d pvars, %d categories", wrong[CVAR], wrong[PVAR], wrong[CATEGORY]);
    HOLDS(tried, "names");
}
