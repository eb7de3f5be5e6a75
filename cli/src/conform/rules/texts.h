enum { CVAR, PVAR, CATEGORY, KINDS };
static const char *const kinds[] = {"control variable", "performance variable", "category"};
static int (*const get_num[])(int *) = {MPI_T_cvar_get_num, MPI_T_pvar_get_num, MPI_T_category_get_num};
static int number(int kind) { int n = 0; get_num[kind](&n); return n; }
static int texts(int kind, int i, char *name, int *size, char *desc, int *desc_size)
{
    return kind == CVAR   ? MPI_T_cvar_get_info(i, name, size, 0, 0, 0, desc, desc_size, 0, 0)
           : kind == PVAR ? MPI_T_pvar_get_info(i, name, size, 0, 0, 0, 0, desc, desc_size, 0, 0, 0, 0)
                          : MPI_T_category_get_info(i, name, size, desc, desc_size, 0, 0, 0);
}
