/* R47: Name and description are independent: one may be measured while the other is copied. */
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
            int size = 0, desc_size = 0, copied = sizeof text;
            texts(kind, i, NULL, NULL, NULL, &desc_size);
            memset(text, '#', sizeof text);
            texts(kind, i, NULL, &size, text, &copied);
            wrong[kind] += size != full || copied != desc_size || (copied > 0 && text[copied - 1] != 0);
        }
    if (wrong[CVAR] + wrong[PVAR] + wrong[CATEGORY])
        FAILS("a name is measured wrongly while the description is copied:"
              " %d cvars, %d pvars, %d categories", wrong[CVAR], wrong[PVAR], wrong[CATEGORY]);
    HOLDS(tried, "names");
}
