/* A tool that sets the control variables of the plug-ins tests/plugins/c/bound.c and tests/plugins/rust/every, which have a
 * value for each object (one process; MPIT_BOUND_COMM=70 in the environment).
 *
 *     bound_cvars sessions|none [LIBRARY]    (sessions: mpi.h defines MPI_T_BIND_MPI_SESSION; LIBRARY: MPI's Fortran interface)
 *
 * Prints a line for each failure. */
#define _GNU_SOURCE
#include "mpit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long word;

static int failures;
static const char *subject = "";

static void check(int right, const char *what)
{
    if (!right) {
        printf("FAIL %s: %s\n", subject, what);
        failures++;
    }
}

/* Two objects of a kind. */
static MPI_Comm comms[2];
static MPI_Datatype types[2];
static MPI_Errhandler handlers[2];
static MPI_File files[2];
static MPI_Group groups[2];
static MPI_Op ops[2];
static MPI_Request requests[2], sent[2];
static MPI_Win wins[2];
static MPI_Message messages[2];
static MPI_Info infos[2];

static int memory[4], received;

static void nothing(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

static void make(int which)
{
    int rank = 0;
    MPI_Group world;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[which]);
    MPI_Type_contiguous(which + 2, MPI_INT, &types[which]);
    MPI_Comm_create_errhandler(nothing, &handlers[which]);
    MPI_File_open(MPI_COMM_SELF, "bound_cvars.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &files[which]);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &rank, &groups[which]);
    MPI_Group_free(&world);
    MPI_Op_create(add, 1, &ops[which]);
    MPI_Recv_init(memory, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[which]);
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &wins[which]);
    MPI_Isend(memory, 1, MPI_INT, 0, which, MPI_COMM_WORLD, &sent[which]);
    MPI_Mprobe(0, which, MPI_COMM_WORLD, &messages[which], MPI_STATUS_IGNORE);
    MPI_Info_create(&infos[which]);
}

static MPI_T_cvar_handle handle_on(int index, void *object)
{
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int count = 0;
    check(MPI_T_cvar_handle_alloc(index, object, &handle, &count) == MPI_SUCCESS && count == 1, "a handle");
    return handle;
}

static int value_of(MPI_T_cvar_handle handle)
{
    int value = -1;
    check(MPI_T_cvar_read(handle, &value) == MPI_SUCCESS, "a read");
    return value;
}

static int set(MPI_T_cvar_handle handle, int value)
{
    return MPI_T_cvar_write(handle, &value);
}

static int index_of(const char *name, int kind)
{
    int index = -1, bind = -1;
    subject = name;
    check(MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS, "it is listed");
    MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL);
    check(bind == kind, "its kind of object");
    return index;
}

/* Two objects, two handles on the first and one on the second. */
static void two_objects(const char *name, int kind, void *first, void *second, int otherwise)
{
    int index = index_of(name, kind), count = 0;
    MPI_T_cvar_handle none = MPI_T_CVAR_HANDLE_NULL;
    MPI_T_cvar_handle one = handle_on(index, first), same = handle_on(index, first), other = handle_on(index, second);
    check(value_of(one) == otherwise && value_of(other) == otherwise, "the default");
    /* Proves R90: two handles on one object, and one on another */
    check(set(one, 100) == MPI_SUCCESS && value_of(same) == 100 && value_of(other) == otherwise, "one is set");
    check(set(other, 200) == MPI_SUCCESS && value_of(one) == 100 && value_of(other) == 200, "the other is set");
    check(set(other, 1 << 20) == MPI_T_ERR_INVALID && value_of(other) == 200, "a value that is refused");
    /* Proves R88. */
    check(MPI_T_cvar_handle_alloc(index, NULL, &none, &count) == MPI_T_ERR_INVALID_HANDLE, "no object");
    MPI_T_cvar_handle_free(&one);
    MPI_T_cvar_handle_free(&same);
    MPI_T_cvar_handle_free(&other);
}

static word read_pvar(const char *name, void *object)
{
    int index = -1, count = 0, continuous = 0;
    word value = 0;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    check(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_SIZE, &index) == MPI_SUCCESS, name);
    MPI_T_pvar_session_create(&session);
    check(MPI_T_pvar_handle_alloc(session, index, object, &handle, &count) == MPI_SUCCESS && count == 1, name);
    MPI_T_pvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &continuous, NULL);
    if (!continuous)
        MPI_T_pvar_start(session, handle);
    check(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS, name);
    MPI_T_pvar_session_free(&session);
    return value;
}

/* Checks handles and values after the object is freed. */
static void until_freed(const char *name, int kind, void *object, void (*end)(int which))
{
    int index = index_of(name, kind), value = 0;
    MPI_T_cvar_handle handle = handle_on(index, object);
    check(set(handle, 300) == MPI_SUCCESS, "it is set");
    word before = read_pvar("bound_values", NULL);
    end(0);
    /* Proves R92. */
    check(MPI_T_cvar_read(handle, &value) == MPI_T_ERR_INVALID_HANDLE && value == 0, "no read when it is freed");
    check(set(handle, 301) == MPI_T_ERR_INVALID_HANDLE, "no write when it is freed");
    check(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS, "the handle can be freed");
    if (!strncmp(name, "bound", 5))
        check(read_pvar("bound_values", NULL) < before, "its value is dropped");
}

/* Proves C30: entries bound to sessions are listed if the library's header has a constant for that. */
static void of_sessions(int listed)
{
    int index = -1;
    subject = "sessions";
    check((MPI_T_cvar_get_index("bound_session", &index) == MPI_SUCCESS) == listed, "a control variable");
    check((MPI_T_pvar_get_index("bound_session_size", MPI_T_PVAR_CLASS_SIZE, &index) == MPI_SUCCESS) == listed,
          "a performance variable");
    check((MPI_T_event_get_index("bound_session_ended", &index) == MPI_SUCCESS) == listed, "an event");
#if MPI_VERSION >= 4
    if (listed) {
        MPI_Session sessions[2];
        for (int which = 0; which < 2; which++)
            MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &sessions[which]);
        two_objects("bound_session", MPI_T_BIND_MPI_SESSION, &sessions[0], &sessions[1], 5);
        for (int which = 0; which < 2; which++)
            MPI_Session_finalize(&sessions[which]);
    }
#endif
}

static void free_comm(int which)
{
    MPI_Comm_free(&comms[which]);
}

static void free_win(int which)
{
    MPI_Win_free(&wins[which]);
}

/* Objects are freed by their names in Fortran. */
static int in_fortran;

static void by_fortran(const char *name, int number)
{
    int handle = number, error = -1;
    void (*function)(int *, int *);
    *(void **)&function = dlsym(RTLD_DEFAULT, name);
    function(&handle, &error);
    check(error == MPI_SUCCESS, name);
}

#ifdef MPI_ABI_VERSION
#define NUMBER(KIND, OBJECT) MPI_##KIND##_toint(OBJECT)
#else
#define NUMBER(KIND, OBJECT) MPI_##KIND##_c2f(OBJECT)
#endif

#define FREE(KIND, OBJECT, FORTRAN)                                                                                    \
    do {                                                                                                               \
        if (in_fortran)                                                                                                \
            by_fortran(FORTRAN, NUMBER(KIND, OBJECT));                                                                 \
        else                                                                                                           \
            MPI_##KIND##_free(&(OBJECT));                                                                              \
    } while (0)

static void free_datatype(int which)
{
    FREE(Type, types[which], "mpi_type_free_");
}

static void free_errhandler(int which)
{
    FREE(Errhandler, handlers[which], "mpi_errhandler_free_");
}

static void free_group(int which)
{
    FREE(Group, groups[which], "mpi_group_free_");
}

static void free_op(int which)
{
    FREE(Op, ops[which], "mpi_op_free_");
}

static void free_info(int which)
{
    FREE(Info, infos[which], "mpi_info_free_");
}

/* Intel's library with the standard ABI ends the program when it refuses such a call, whatever the error handlers. */
static int is_refusal_fatal(void)
{
#ifdef MPI_ABI_VERSION
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int len;
    MPI_Get_library_version(version, &len);
    return strstr(version, "Intel") != NULL;
#else
    return 0;
#endif
}

/* A refused call frees nothing. */
static void until_refused(void)
{
    MPI_Op op = MPI_SUM;
    MPI_Datatype type = MPI_INT;
    MPI_T_cvar_handle of_op = handle_on(index_of("bound_op", MPI_T_BIND_MPI_OP), &op);
    MPI_T_cvar_handle of_type = handle_on(index_of("bound_datatype", MPI_T_BIND_MPI_DATATYPE), &type);
    check(set(of_op, 400) == MPI_SUCCESS && set(of_type, 500) == MPI_SUCCESS, "they are set");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    check(MPI_Op_free(&op) != MPI_SUCCESS && MPI_Type_free(&type) != MPI_SUCCESS, "predefined objects are not freed");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    check(value_of(of_op) == 400 && value_of(of_type) == 500, "what is not freed keeps its value");
    MPI_T_cvar_handle_free(&of_op);
    MPI_T_cvar_handle_free(&of_type);
}

/* New objects, whose handles may be those of freed ones, begin with the default. */
static void begin_anew(const char *name, int kind, void *object)
{
    MPI_T_cvar_handle handle = handle_on(index_of(name, kind), object);
    check(value_of(handle) == 5, "a new object has the default");
    MPI_T_cvar_handle_free(&handle);
}

static void until_freed_and_anew(void)
{
    int rank = 0;
    MPI_Group world;
    until_freed("bound_datatype", MPI_T_BIND_MPI_DATATYPE, &types[0], free_datatype);
    until_freed("bound_errhandler", MPI_T_BIND_MPI_ERRHANDLER, &handlers[0], free_errhandler);
    until_freed("bound_group", MPI_T_BIND_MPI_GROUP, &groups[0], free_group);
    until_freed("bound_op", MPI_T_BIND_MPI_OP, &ops[0], free_op);
    until_freed("bound_info", MPI_T_BIND_MPI_INFO, &infos[0], free_info);
    MPI_Type_contiguous(2, MPI_INT, &types[0]);
    MPI_Comm_create_errhandler(nothing, &handlers[0]);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &rank, &groups[0]);
    MPI_Group_free(&world);
    MPI_Op_create(add, 1, &ops[0]);
    MPI_Info_create(&infos[0]);
    begin_anew("bound_datatype", MPI_T_BIND_MPI_DATATYPE, &types[0]);
    begin_anew("bound_errhandler", MPI_T_BIND_MPI_ERRHANDLER, &handlers[0]);
    begin_anew("bound_group", MPI_T_BIND_MPI_GROUP, &groups[0]);
    begin_anew("bound_op", MPI_T_BIND_MPI_OP, &ops[0]);
    begin_anew("bound_info", MPI_T_BIND_MPI_INFO, &infos[0]);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Comm null = MPI_COMM_NULL, world = MPI_COMM_WORLD;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    make(0);
    make(1);
    two_objects("bound_comm", MPI_T_BIND_MPI_COMM, &comms[0], &comms[1], 70);
    two_objects("bound_datatype", MPI_T_BIND_MPI_DATATYPE, &types[0], &types[1], 5);
    two_objects("bound_errhandler", MPI_T_BIND_MPI_ERRHANDLER, &handlers[0], &handlers[1], 5);
    two_objects("bound_file", MPI_T_BIND_MPI_FILE, &files[0], &files[1], 5);
    two_objects("bound_group", MPI_T_BIND_MPI_GROUP, &groups[0], &groups[1], 5);
    two_objects("bound_op", MPI_T_BIND_MPI_OP, &ops[0], &ops[1], 5);
    two_objects("bound_request", MPI_T_BIND_MPI_REQUEST, &requests[0], &requests[1], 5);
    two_objects("bound_win", MPI_T_BIND_MPI_WIN, &wins[0], &wins[1], 5);
    two_objects("bound_message", MPI_T_BIND_MPI_MESSAGE, &messages[0], &messages[1], 5);
    two_objects("bound_info", MPI_T_BIND_MPI_INFO, &infos[0], &infos[1], 5);
    two_objects("every_quota", MPI_T_BIND_MPI_COMM, &comms[0], &comms[1], 50);
    two_objects("every_window_quota", MPI_T_BIND_MPI_WIN, &wins[0], &wins[1], 50);

    of_sessions(argc > 1 && !strcmp(argv[1], "sessions"));
    subject = "objects";
    check(MPI_T_cvar_handle_alloc(index_of("bound_comm", MPI_T_BIND_MPI_COMM), &null, &handle, &provided)
              == MPI_T_ERR_INVALID_HANDLE,
          "a null handle");
    handle = handle_on(index_of("bound_comm", MPI_T_BIND_MPI_COMM), &world);
    check(value_of(handle) == 70, "the world has the default");
    MPI_T_cvar_handle_free(&handle);
    check(read_pvar("every_quota_in_use", &comms[1]) == 200 && read_pvar("every_quota_in_use", &world) == 50,
          "the plug-in reads the value of the object");

    until_freed("bound_comm", MPI_T_BIND_MPI_COMM, &comms[0], free_comm);
    until_freed("bound_win", MPI_T_BIND_MPI_WIN, &wins[0], free_win);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &wins[0]);
    two_objects("bound_comm", MPI_T_BIND_MPI_COMM, &comms[0], &world, 70);
    until_freed("every_quota", MPI_T_BIND_MPI_COMM, &comms[0], free_comm);
    until_freed("every_window_quota", MPI_T_BIND_MPI_WIN, &wins[0], free_win);

    if (!is_refusal_fatal())
        until_refused();
    until_freed_and_anew();
    if (argc == 3) {
        check(dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL) != NULL, argv[2]);
        in_fortran = 1;
        until_freed_and_anew();
    }
    free_comm(1);
    free_win(1);
    for (int which = 0; which < 2; which++) {
        MPI_Type_free(&types[which]);
        MPI_Errhandler_free(&handlers[which]);
        MPI_File_close(&files[which]);
        MPI_Group_free(&groups[which]);
        MPI_Op_free(&ops[which]);
        MPI_Request_free(&requests[which]);
        MPI_Mrecv(&received, 1, MPI_INT, &messages[which], MPI_STATUS_IGNORE);
        MPI_Wait(&sent[which], MPI_STATUS_IGNORE);
        MPI_Info_free(&infos[which]);
    }
    MPI_T_finalize();
    MPI_Finalize();
    printf("bound_cvars: %d failures\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
