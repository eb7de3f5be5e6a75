/* A tool that sets the control variables of the plug-ins tests/plugins/c/bound.c and tests/plugins/rust/every, which have a
 * value for each object (one process; MPIT_BOUND_COMM=70 in the environment).
 *
 *     bound_cvars sessions|none [LIBRARY]    (sessions: mpi.h defines MPI_T_BIND_MPI_SESSION; LIBRARY: MPI's Fortran interface)
 *
 * Also allocates handles and registrations for objects that do not exist. Prints each variable, and a line for each failure. */
#define _GNU_SOURCE
#include "checks.h"
#include "invalid_objects.h"

#include <dlfcn.h>

typedef unsigned long long word;

/* Two objects of each kind. */
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

/* The first five are freed by their names in Fortran, too. */
enum { DATATYPE, ERRHANDLER, GROUP, OP, INFO, IN_FORTRAN, COMM = IN_FORTRAN, WIN, QUOTA, WINDOW_QUOTA, FILES, REQUEST, MESSAGE,
       KINDS };

/* The control variables, and the value that each has by default. */
static const struct kind {
    const char *name;
    int bind, value;
    void *first, *second;
} kinds[KINDS] = {
    [DATATYPE] = {"bound_datatype", MPI_T_BIND_MPI_DATATYPE, 5, &types[0], &types[1]},
    [ERRHANDLER] = {"bound_errhandler", MPI_T_BIND_MPI_ERRHANDLER, 5, &handlers[0], &handlers[1]},
    [GROUP] = {"bound_group", MPI_T_BIND_MPI_GROUP, 5, &groups[0], &groups[1]},
    [OP] = {"bound_op", MPI_T_BIND_MPI_OP, 5, &ops[0], &ops[1]},
    [INFO] = {"bound_info", MPI_T_BIND_MPI_INFO, 5, &infos[0], &infos[1]},
    [COMM] = {"bound_comm", MPI_T_BIND_MPI_COMM, 70, &comms[0], &comms[1]},
    [WIN] = {"bound_win", MPI_T_BIND_MPI_WIN, 5, &wins[0], &wins[1]},
    [QUOTA] = {"every_quota", MPI_T_BIND_MPI_COMM, 50, &comms[0], &comms[1]},
    [WINDOW_QUOTA] = {"every_window_quota", MPI_T_BIND_MPI_WIN, 50, &wins[0], &wins[1]},
    [FILES] = {"bound_file", MPI_T_BIND_MPI_FILE, 5, &files[0], &files[1]},
    [REQUEST] = {"bound_request", MPI_T_BIND_MPI_REQUEST, 5, &requests[0], &requests[1]},
    [MESSAGE] = {"bound_message", MPI_T_BIND_MPI_MESSAGE, 5, &messages[0], &messages[1]},
};

static void nothing(MPI_Comm *comm, int *code, ...)
{
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
}

static void make(int kind, int which)
{
    MPI_Group world;
    switch (kind) {
    case DATATYPE: MPI_Type_contiguous(which + 2, MPI_INT, &types[which]); break;
    case ERRHANDLER: MPI_Comm_create_errhandler(nothing, &handlers[which]); break;
    case GROUP:
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_incl(world, 1, &rank, &groups[which]);
        MPI_Group_free(&world);
        break;
    case OP: MPI_Op_create(add, 1, &ops[which]); break;
    case INFO: MPI_Info_create(&infos[which]); break;
    case COMM: MPI_Comm_dup(MPI_COMM_WORLD, &comms[which]); break;
    case WIN: MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &wins[which]); break;
    case FILES:
        MPI_File_open(MPI_COMM_SELF, "bound_cvars.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &files[which]);
        break;
    case REQUEST: MPI_Recv_init(memory, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[which]); break;
    case MESSAGE:
        MPI_Isend(memory, 1, MPI_INT, 0, which, MPI_COMM_WORLD, &sent[which]);
        MPI_Mprobe(0, which, MPI_COMM_WORLD, &messages[which], MPI_STATUS_IGNORE);
        break;
    }
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

#define FREE(KIND, OBJECT, FORTRAN) \
    in_fortran ? by_fortran(FORTRAN, NUMBER(KIND, OBJECT)) : (void)MPI_##KIND##_free(&(OBJECT))

static void release(int kind, int which)
{
    switch (kind) {
    case DATATYPE: FREE(Type, types[which], "mpi_type_free_"); break;
    case ERRHANDLER: FREE(Errhandler, handlers[which], "mpi_errhandler_free_"); break;
    case GROUP: FREE(Group, groups[which], "mpi_group_free_"); break;
    case OP: FREE(Op, ops[which], "mpi_op_free_"); break;
    case INFO: FREE(Info, infos[which], "mpi_info_free_"); break;
    case COMM: case QUOTA: MPI_Comm_free(&comms[which]); break;
    case WIN: case WINDOW_QUOTA: MPI_Win_free(&wins[which]); break;
    case FILES: MPI_File_close(&files[which]); break;
    case REQUEST: MPI_Request_free(&requests[which]); break;
    case MESSAGE:
        MPI_Mrecv(&received, 1, MPI_INT, &messages[which], MPI_STATUS_IGNORE);
        MPI_Wait(&sent[which], MPI_STATUS_IGNORE);
        break;
    }
}

static MPI_T_cvar_handle cvar_on(int index, void *object)
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

static int index_of(const struct kind *kind)
{
    int index = -1, bind = -1;
    printf("%s\n", kind->name);
    check(MPI_T_cvar_get_index(kind->name, &index) == MPI_SUCCESS, "it is listed");
    MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL);
    check(bind == kind->bind, "its kind of object");
    return index;
}

/* Two objects, two handles on the first and one on the second. */
static void two_objects(const struct kind *kind)
{
    int index = index_of(kind), count = 0;
    MPI_T_cvar_handle none = MPI_T_CVAR_HANDLE_NULL;
    MPI_T_cvar_handle one = cvar_on(index, kind->first), same = cvar_on(index, kind->first);
    MPI_T_cvar_handle other = cvar_on(index, kind->second);
    check(value_of(one) == kind->value && value_of(other) == kind->value, "the default");
    /* Proves R90: two handles on one object, and one on another */
    check(set(one, 100) == MPI_SUCCESS && value_of(same) == 100 && value_of(other) == kind->value, "one is set");
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
    word value = 0;
    MPI_T_pvar_handle handle = running(session, name, MPI_T_PVAR_CLASS_SIZE, object, 1);
    check(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS, name);
    MPI_T_pvar_handle_free(session, &handle);
    return value;
}

/* Checks handles and values after the first object is freed. */
static void until_freed(int which)
{
    const struct kind *kind = &kinds[which];
    int value = 0;
    struct object stale = object_at(kind->first, kind->bind);
    MPI_T_cvar_handle handle = cvar_on(index_of(kind), kind->first);
    check(set(handle, 300) == MPI_SUCCESS, "it is set");
    word before = read_pvar("bound_values", NULL);
    release(which, 0);
    if (knows_freed(kind->bind))
        refuses(&stale, kind->name, "a freed object");
    /* Proves R92. */
    check(MPI_T_cvar_read(handle, &value) == MPI_T_ERR_INVALID_HANDLE && value == 0, "no read when it is freed");
    check(set(handle, 301) == MPI_T_ERR_INVALID_HANDLE, "no write when it is freed");
    check(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS, "the handle can be freed");
    if (!strncmp(kind->name, "bound", 5))
        check(read_pvar("bound_values", NULL) < before, "its value is dropped");
}

/* Proves C30: entries bound to sessions are listed if the library's header has a constant for that. */
static void of_sessions(int listed)
{
    int index = -1;
    printf("sessions\n");
    check((MPI_T_cvar_get_index("bound_session", &index) == MPI_SUCCESS) == listed, "a control variable");
    check((MPI_T_pvar_get_index("bound_session_size", MPI_T_PVAR_CLASS_SIZE, &index) == MPI_SUCCESS) == listed,
          "a performance variable");
    check((MPI_T_event_get_index("bound_session_ended", &index) == MPI_SUCCESS) == listed, "an event");
#if MPI_VERSION >= 4
    if (listed) {
        MPI_Session sessions[2];
        for (int which = 0; which < 2; which++)
            MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &sessions[which]);
        two_objects(&(struct kind){"bound_session", MPI_T_BIND_MPI_SESSION, 5, &sessions[0], &sessions[1]});
        for (int which = 0; which < 2; which++)
            MPI_Session_finalize(&sessions[which]);
    }
#endif
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
    MPI_T_cvar_handle of_op = cvar_on(index_of(&kinds[OP]), &op);
    MPI_T_cvar_handle of_type = cvar_on(index_of(&kinds[DATATYPE]), &type);
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

/* Objects of another kind, and values that no object has as its handle. */
static void of_no_object(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        printf("%s\n", kinds[kind].name);
        refuses_values(kinds[kind].name, kinds[kind].bind);
        for (int other = 0; other < KINDS; other++) {
            struct object foreign = object_at(kinds[other].first, kinds[other].bind);
            foreign.bind = kinds[kind].bind;
            if (is_another_kind(kinds[kind].bind, kinds[other].bind))
                refuses(&foreign, kinds[kind].name, kinds[other].name);
        }
    }
}

/* The objects that only Open MPI and the standard ABI can know to be freed, and files. */
static void until_freed_without_values(void)
{
    static const int few[] = {FILES, REQUEST, MESSAGE};
    for (int each = 0; each < 3; each++) {
        const struct kind *kind = &kinds[few[each]];
        struct object stale = object_at(kind->second, kind->bind);
        release(few[each], 1);
        if (knows_freed(kind->bind))
            refuses(&stale, kind->name, "a freed object");
        make(few[each], 1);
    }
}

/* New objects, whose handles may be those of freed ones, begin with the default. */
static void until_freed_and_anew(void)
{
    for (int kind = 0; kind < IN_FORTRAN; kind++)
        until_freed(kind);
    for (int kind = 0; kind < IN_FORTRAN; kind++)
        make(kind, 0);
    for (int kind = 0; kind < IN_FORTRAN; kind++) {
        MPI_T_cvar_handle handle = cvar_on(index_of(&kinds[kind]), kinds[kind].first);
        check(value_of(handle) == 5, "a new object has the default");
        MPI_T_cvar_handle_free(&handle);
    }
}

int main(int argc, char **argv)
{
    int count;
    MPI_Comm null = MPI_COMM_NULL, world = MPI_COMM_WORLD;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    MPI_Init(&argc, &argv);
    start_tool();
    for (int kind = 0; kind < KINDS; kind++)
        for (int which = 0; which < 2; which++)
            make(kind, which);
    for (int kind = 0; kind < KINDS; kind++)
        two_objects(&kinds[kind]);
    begin_refusals();
    of_no_object();
    until_freed_without_values();
    of_host_until_freed();
    of_sessions(argc > 1 && !strcmp(argv[1], "sessions"));
    const int of_comm = index_of(&kinds[COMM]);
    printf("objects\n");
    check(MPI_T_cvar_handle_alloc(of_comm, &null, &handle, &count) == MPI_T_ERR_INVALID_HANDLE, "a null handle");
    handle = cvar_on(of_comm, &world);
    check(value_of(handle) == 70, "the world has the default");
    MPI_T_cvar_handle_free(&handle);
    printf("objects\n");
    check(read_pvar("every_quota_in_use", &comms[1]) == 200 && read_pvar("every_quota_in_use", &world) == 50,
          "the plug-in reads the value of the object");

    until_freed(COMM);
    until_freed(WIN);
    make(COMM, 0);
    make(WIN, 0);
    two_objects(&(struct kind){"bound_comm", MPI_T_BIND_MPI_COMM, 70, &comms[0], &world});
    until_freed(QUOTA);
    until_freed(WINDOW_QUOTA);

    end_refusals();
    if (!is_refusal_fatal())
        until_refused();
    begin_refusals();
    until_freed_and_anew();
    if (argc == 3) {
        check(dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL) != NULL, argv[2]);
        in_fortran = 1;
        until_freed_and_anew();
        in_fortran = 0;
    }
    end_refusals();
    release(COMM, 1);
    release(WIN, 1);
    for (int kind = 0; kind < KINDS; kind++)
        for (int which = 0; which < 2; which++)
            if (kinds[kind].bind != MPI_T_BIND_MPI_COMM && kinds[kind].bind != MPI_T_BIND_MPI_WIN)
                release(kind, which);
    MPI_T_finalize();
    MPI_Finalize();
    printf("bound_cvars: %d failures\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
