/* Sends three numbers to itself over one of the libraries in stub_mpi.c, and reads variables as a tool. The output does not
 * depend on other libraries in the process. */
#include "mpi.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void expect(int is_true, const char *what)
{
    if (!is_true) {
        failures++;
        printf("wrong: %s\n", what);
    }
}

/* The source of the library, wherever it is listed. */
static void check_source(void)
{
    int num = 0, found = 0;
    expect(MPI_T_source_get_num(&num) == MPI_SUCCESS && num > 0, "the number of sources");
    for (int i = 0; i < num; i++) {
        char name[80] = "", desc[80] = "";
        int name_len = 80, desc_len = 80, ordering;
        long long ticks_per_second = 0, max_ticks = 0;
        expect(MPI_T_source_get_info(i, name, &name_len, desc, &desc_len, &ordering, &ticks_per_second, &max_ticks, NULL) ==
                   MPI_SUCCESS, "a source");
        if (strcmp(name, "stub_clock"))
            continue;
        found++;
        expect(!strcmp(desc, "Ticks.") && name_len == 11 && desc_len == 7 && ticks_per_second == 1000 &&
                   max_ticks == 1LL << 40, "the metadata of the source");
    }
    expect(found == 1, "the source of the library");
}

int main(int argc, char **argv)
{
    int num = 0, index = -1, count = 0, provided = -1, number = 0, rank = -1, size = -1;
    int name_len = 80, desc_len = 80, verbosity, var_class = -1, bind = -1, readonly, continuous, atomic;
    char name[80] = "", desc[80] = "";
    unsigned long long sent = 0;
    MPI_Datatype datatype;
    MPI_T_enum enumtype;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;

    expect(MPI_T_pvar_get_num(&num) == MPI_T_ERR_NOT_INITIALIZED, "before MPI_T_init_thread");
    expect(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS, "MPI_T_init_thread");
    expect(provided == MPI_THREAD_SINGLE, "the thread level");
    expect(MPI_Init(&argc, &argv) == MPI_SUCCESS, "MPI_Init");
    expect(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0, "the rank");
    expect(MPI_Comm_size(MPI_COMM_WORLD, &size) == MPI_SUCCESS && size == 1, "the size");
    expect(MPI_Comm_set_name(MPI_COMM_WORLD, "all of us") == MPI_SUCCESS, "MPI_Comm_set_name");
    for (int i = 1; i <= 3; i++) {
        expect(MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD) == MPI_SUCCESS, "MPI_Send");
        expect(MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, 0) == MPI_SUCCESS && number == i, "MPI_Recv");
    }
    expect(MPI_Barrier(MPI_COMM_SELF) == MPI_SUCCESS, "MPI_Barrier");
    expect(MPI_Pcontrol(1, "further", 2.5) == MPI_SUCCESS, "MPI_Pcontrol");

    expect(MPI_T_pvar_get_num(&num) == MPI_SUCCESS && num > 0, "the number of variables");
    expect(MPI_T_pvar_get_index("stub_sent", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS, "the index");
    expect(PMPI_T_pvar_get_info(index, name, &name_len, &verbosity, &var_class, &datatype, &enumtype, desc, &desc_len, &bind,
                                &readonly, &continuous, &atomic) == MPI_SUCCESS, "the metadata");
    expect(!strcmp(name, "stub_sent") && var_class == MPI_T_PVAR_CLASS_COUNTER && datatype == MPI_UNSIGNED_LONG_LONG &&
               bind == MPI_T_BIND_NO_OBJECT && verbosity == MPI_T_VERBOSITY_USER_BASIC, "the metadata of the variable");
    expect(MPI_T_pvar_get_info(99999, name, &name_len, &verbosity, &var_class, &datatype, &enumtype, desc, &desc_len, &bind,
                               &readonly, &continuous, &atomic) == MPI_T_ERR_INVALID_INDEX, "no index");
    check_source();
    name_len = 80;
    expect(MPI_T_enum_get_info(enumtype, &num, name, &name_len) == MPI_SUCCESS && num == 1 && !strcmp(name, "stub_numbers"),
           "the enumeration");
    name_len = 80;
    expect(MPI_T_enum_get_item(enumtype, 0, &number, name, &name_len) == MPI_SUCCESS && number == 3 && !strcmp(name, "three"),
           "its item");
    expect(MPI_T_pvar_session_create(&session) == MPI_SUCCESS, "the session");
    expect(MPI_T_pvar_handle_alloc(session, index, 0, &handle, &count) == MPI_SUCCESS && count == 1, "the handle");
    expect(MPI_T_pvar_read(session, handle, &sent) == MPI_SUCCESS, "the value");
    expect(MPI_T_pvar_handle_free(session, &handle) == MPI_SUCCESS, "freeing the handle");
    expect(MPI_T_pvar_session_free(&session) == MPI_SUCCESS, "freeing the session");
    expect(MPI_T_finalize() == MPI_SUCCESS, "MPI_T_finalize");
    expect(MPI_Finalize() == MPI_SUCCESS, "MPI_Finalize");
    printf("%llu sent, %d failures\n", sent, failures);
    return failures != 0;
}
