/* MPI functions that work inside MPI_Finalize, and functions of the tools interface that work after it.
 *
 *     finalize               (any number of processes)
 *
 * A delete function of an attribute of MPI_COMM_SELF sends a message to the right neighbor, reads handles on all control
 * variables of the library, and allocates new ones. After MPI_Finalize, the old handles are read and freed. Ends with 1 if
 * a call fails that succeeded before. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

static struct {
    int index;
    MPI_T_cvar_handle handle;
} cvars[MOST];
static int num_cvars, failures, deleted;
static char buffer[1 << 16];

static void expect(int is_right, const char *what, int at, int code)
{
    if (!is_right && failures++ < 5)
        fprintf(stderr, "finalize: %s of control variable %d: %d\n", what, cvars[at].index, code);
}

/* Reading some of them crashes the library, with or without mpit. */
static int is_safe(const char *name)
{
    return !strstr(name, "ucx");
}

static void choose(void)
{
    int num;

    MPI_T_cvar_get_num(&num);
    for (int index = 0; index < num && num_cvars < MOST; index++) {
        char name[256] = "";
        int len = sizeof name, bind, count;
        if (!MPI_T_cvar_get_info(index, name, &len, NULL, NULL, NULL, NULL, NULL, &bind, NULL)
            && bind == MPI_T_BIND_NO_OBJECT && is_safe(name)
            && !MPI_T_cvar_handle_alloc(index, NULL, &cvars[num_cvars].handle, &count)) {
            cvars[num_cvars].index = index;
            if (!MPI_T_cvar_read(cvars[num_cvars].handle, buffer))
                num_cvars++;
            else
                MPI_T_cvar_handle_free(&cvars[num_cvars].handle);
        }
    }
}

static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    int rank, size, out[4] = {0}, in[4], code, count;

    deleted++;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(out, 4, MPI_INT, (rank + 1) % size, 7, in, 4, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int at = 0; at < num_cvars; at++) {
        MPI_T_cvar_handle handle;
        code = MPI_T_cvar_read(cvars[at].handle, buffer);
        expect(code == MPI_SUCCESS, "MPI_T_cvar_read in MPI_Finalize", at, code);
        code = MPI_T_cvar_handle_alloc(cvars[at].index, NULL, &handle, &count);
        expect(code == MPI_SUCCESS, "MPI_T_cvar_handle_alloc in MPI_Finalize", at, code);
        if (code == MPI_SUCCESS)
            MPI_T_cvar_handle_free(&handle);
    }
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int provided, keyval, code;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    choose();
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    MPI_Finalize();
    for (int at = 0; at < num_cvars; at++) {
        code = MPI_T_cvar_read(cvars[at].handle, buffer);
        expect(code == MPI_SUCCESS, "MPI_T_cvar_read after MPI_Finalize", at, code);
        code = MPI_T_cvar_handle_free(&cvars[at].handle);
        expect(code == MPI_SUCCESS, "MPI_T_cvar_handle_free after MPI_Finalize", at, code);
    }
    MPI_T_finalize();
    if (failures > 0 || num_cvars < 100 || deleted != 1) {
        fprintf(stderr, "finalize: %d failures of %d control variables, %d deletions\n", failures, num_cvars, deleted);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
