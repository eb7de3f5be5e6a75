/* Changes settings after MPI_Init that are used in MPI_Finalize only, queries the texts of all error codes of MPI_T, and
 * creates communicators without names, different ones on each of 4 ranks. */
#include "checks.h"

static void set(const char *name, int value)
{
    MPI_T_cvar_handle handle = setting(name);
    int found = -1;
    check(MPI_T_cvar_write(handle, &value) == MPI_SUCCESS, "MPI_T_cvar_write");
    check(MPI_T_cvar_read(handle, &found) == MPI_SUCCESS && found == value, "MPI_T_cvar_read");
    MPI_T_cvar_handle_free(&handle);
}

static void texts(void)
{
    const int codes[] = {
        MPI_T_ERR_MEMORY, MPI_T_ERR_NOT_INITIALIZED, MPI_T_ERR_CANNOT_INIT, MPI_T_ERR_INVALID_INDEX,
        MPI_T_ERR_INVALID_HANDLE, MPI_T_ERR_OUT_OF_HANDLES, MPI_T_ERR_OUT_OF_SESSIONS, MPI_T_ERR_INVALID_SESSION,
        MPI_T_ERR_CVAR_SET_NOT_NOW, MPI_T_ERR_CVAR_SET_NEVER, MPI_T_ERR_PVAR_NO_STARTSTOP, MPI_T_ERR_PVAR_NO_WRITE,
        MPI_T_ERR_PVAR_NO_ATOMIC, MPI_T_ERR_NOT_ACCESSIBLE, MPI_T_ERR_NOT_SUPPORTED, MPI_T_ERR_INVALID_NAME,
    };
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++) {
        char text[MPI_MAX_ERROR_STRING] = "";
        int len = -1, class = -1, rc = MPI_Error_string(codes[i], text, &len);
        if (rc != MPI_SUCCESS || len != (int)strlen(text) || len == 0 || strncmp(text, "Unknown", 7) == 0) {
            failures++;
            printf("wrong: code %d: %d, %d characters, %s\n", codes[i], rc, len, text);
        }
        check(MPI_Error_class(codes[i], &class) == MPI_SUCCESS && class == codes[i], "MPI_Error_class");
    }
}

static void use(MPI_Comm comm)
{
    int one = 1, sum;
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Comm comm, half;
    MPI_Group world, pair;
    const int members[] = {1, 3};

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    set("monitoring_container", 1);
    set("monitoring_gather_timeout", 30);
    texts();
    MPI_T_finalize();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int more = 0; more < rank; more++) {
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        use(comm);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank == 2 ? MPI_UNDEFINED : 0, 0, &comm);
    use(comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Comm_dup(half, &comm);
    use(comm);
    use(half);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &pair);
    MPI_Comm_create(MPI_COMM_WORLD, pair, &comm);
    use(comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    use(comm);
    MPI_Group_free(&pair);
    MPI_Group_free(&world);
    MPI_Finalize();
    return failures != 0;
}
