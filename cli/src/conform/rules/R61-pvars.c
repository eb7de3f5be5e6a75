/* R61: Variables have one of the datatypes that the interface knows: performance variables. */
#include "conform.h"
static int is_legal(MPI_Datatype type)
{
    const MPI_Datatype legal[] = {
        MPI_INT, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_COUNT, MPI_CHAR, MPI_DOUBLE,
#if MPI_VERSION >= 4
        MPI_INT32_T, MPI_INT64_T, MPI_UINT32_T, MPI_UINT64_T,
#endif
    };
    for (size_t i = 0; i < sizeof legal / sizeof *legal; i++)
        if (type == legal[i])
            return 1;
    return 0;
}
int main(void)
{
    char name[256], of_type[MPI_MAX_OBJECT_NAME] = "", example[256] = "";
    int n, tried = 0, wrong = 0;
    MPI_Datatype type;
    INIT();
    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n; i++)
        if (MPI_T_pvar_get_info(i, name, &(int){sizeof name}, 0, 0, &type, 0, 0, 0, 0, 0, 0, 0) == MPI_SUCCESS
            && ++tried && !is_legal(type) && !wrong++) {
            strcpy(example, name);
            MPI_Type_get_name(type, of_type, &(int){0});
        }
    if (wrong)
        FAILS("%d of %d variables, such as %s, which is %s", wrong, tried, example, of_type);
    HOLDS(tried, "performance variables");
}
