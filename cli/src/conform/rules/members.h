enum { CAPACITY = 1 << 16 };
static const char *const kinds[] = {"control variables", "performance variables", "categories"};
static int (*const list[])(int, int, int *) = {MPI_T_category_get_cvars, MPI_T_category_get_pvars,
                                               MPI_T_category_get_categories};
static int members[CAPACITY], sizes[3], tried;
static char name[512];
static int queried(int i)
{
    return !MPI_T_category_get_info(i, name, &(int){sizeof name}, 0, 0, &sizes[0], &sizes[1], &sizes[2]);
}
#define CATEGORIES() (INIT(), MPI_T_category_get_num(&n), n)
