static int cvars, pvars, tried, items, value;
static char name[256], text[256];
static MPI_T_enum found;
/* Finds the enumeration of a variable; the performance variables follow the control variables. */
static int has_enum(int i)
{
    found = MPI_T_ENUM_NULL;
    int code = i < cvars ? MPI_T_cvar_get_info(i, name, &(int){sizeof name}, 0, 0, &found, 0, 0, 0, 0)
                         : MPI_T_pvar_get_info(i - cvars, name, &(int){sizeof name}, 0, 0, 0, &found, 0, 0, 0, 0, 0, 0);
    return code == MPI_SUCCESS && found != MPI_T_ENUM_NULL && ++tried;
}
#define VARIABLES() (INIT(), MPI_T_cvar_get_num(&cvars), MPI_T_pvar_get_num(&pvars), cvars + pvars)
