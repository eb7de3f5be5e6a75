/* R131: Names of performance variables are not empty, and unique within their class. */
#include "conform.h"
struct key { char name[512]; int class; };
static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct key));
}
int main(void)
{
    int n, known = 0;
    INIT();
    MPI_T_pvar_get_num(&n);
    struct key *keys = calloc(n + 1, sizeof *keys), *key = keys;
    for (int i = 0; i < n; i++)
        if (MPI_T_pvar_get_info(i, key->name, &(int){512}, 0, &key->class, 0, 0, 0, 0, 0, 0, 0, 0) == MPI_SUCCESS) {
            if (!*key->name)
                FAILS("the name of performance variable %d is empty", i);
            key = &keys[++known];
        }
    for (int i = 0; i < known; i++)
        memset(strchr(keys[i].name, 0), 0, 512 - strlen(keys[i].name));
    qsort(keys, known, sizeof *keys, compare);
    for (int i = 1; i < known; i++)
        if (compare(&keys[i - 1], &keys[i]) == 0)
            FAILS("two performance variables of class %d are called %s", keys[i].class, keys[i].name);
    HOLDS(known, "performance variables");
}
