static MPI_T_cvar_handle handle, second;
static MPI_Datatype type;
static MPI_T_enum items;
static char name[512], value[1 << 15], again[1 << 15];
static int n, tried, verbosity, bind, scope, count, bytes;
static int opened(int i, MPI_T_cvar_handle *to)
{
    return !MPI_T_cvar_get_info(i, name, &(int){512}, &verbosity, &type, &items, NULL, NULL, &bind, &scope)
           && bind == MPI_T_BIND_NO_OBJECT && !MPI_T_cvar_handle_alloc(i, NULL, to, &count)
           && !MPI_Type_size(type, &bytes) && (bytes *= count) < (int)sizeof value;
}
#define FOR_EACH(i) for (int i = (INIT(), MPI_T_cvar_get_num(&n), 0); i < n; i++) if (opened(i, &handle))
