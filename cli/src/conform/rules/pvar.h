static MPI_T_pvar_session session, other;
static MPI_T_pvar_handle handle, second;
static MPI_Comm world = MPI_COMM_WORLD;
static MPI_Datatype type;
static char name[512], value[1 << 15], again[1 << 15], zero[1 << 15];
static int n, tried, class, bind, readonly, continuous, atomic, count, bytes;
static int opened(int i, MPI_T_pvar_session in, MPI_T_pvar_handle *to)
{
    return !MPI_T_pvar_get_info(i, name, &(int){512}, 0, &class, &type, 0, 0, 0, &bind, &readonly, &continuous, &atomic)
           && (bind == MPI_T_BIND_NO_OBJECT || bind == MPI_T_BIND_MPI_COMM) && fprintf(stderr, "handle of %s\n", name)
           && !MPI_T_pvar_handle_alloc(in, i, bind == MPI_T_BIND_MPI_COMM ? &world : NULL, to, &count)
           && !MPI_Type_size(type, &bytes) && (bytes *= count) < (int)sizeof value && fprintf(stderr, "made\n");
}
#define PVARS() (INIT(), MPI_T_pvar_session_create(&session), MPI_T_pvar_session_create(&other), MPI_T_pvar_get_num(&n), n)
#define FOR_EACH(i) for (int i = 0, all = PVARS(); i < all; i++) if (opened(i, session, &handle))
