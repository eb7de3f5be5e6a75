/* MPI libraries of one process with distinguishable ABIs. Arguments must be those of a program of the same ABI: all others
 * end the process, as in real libraries.
 *
 * STUB_VERSION     the result of MPI_Abi_get_version; without it, the function does not exist
 * STUB_PROFILING   only the PMPI_ functions, as in a library that has them in a file of their own
 * STUB_ORDINARY    only the MPI_ functions, which call the PMPI_ functions */
#include "mpi.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(STUB_PROFILING)
#define BOTH(name, parameters, arguments, ...) \
    int PMPI_##name parameters { __VA_ARGS__ return MPI_SUCCESS; }
#elif defined(STUB_ORDINARY)
#define BOTH(name, parameters, arguments, ...) \
    int MPI_##name parameters { return PMPI_##name arguments; }
#else
/* One function under two names, as in most libraries. Each succeeds unless it returns early. */
#define BOTH(name, parameters, arguments, ...) \
    int PMPI_##name parameters { __VA_ARGS__ return MPI_SUCCESS; } \
    int MPI_##name parameters __attribute__((weak, alias("PMPI_" #name)));
#endif

#ifndef STUB_ORDINARY
static int is_up, is_over, tools;
static unsigned long long sent;
static int waiting;
static MPI_Comm_delete_attr_function *on_delete;
static int a_session, a_handle;

static void fail(const char *what)
{
    printf("stub: %s\n", what);
    fflush(stdout);
    _Exit(7);
}

static void check_comm(MPI_Comm comm)
{
    if (comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF)
        fail("not a communicator");
    if (!is_up || is_over)
        fail("MPI is not up");
}

static void check_group(MPI_Group group)
{
    if (group != MPI_GROUP_WORLD)
        fail("not a group");
}

static void *query_variables(void *unused)
{
    int num = 0;
    if (MPI_T_pvar_get_num(&num) == MPI_SUCCESS && num < 1)
        fail("no variables");
    return unused;
}

/* A library may use the interface itself, and wait for another thread that does. */
static void use_the_interface(void)
{
    static int uses;
    if (__atomic_exchange_n(&uses, 1, __ATOMIC_SEQ_CST))
        return;
    pthread_t thread;
    if (pthread_create(&thread, 0, query_variables, 0) || pthread_join(thread, 0))
        fail("no thread");
    int num;
    MPI_T_pvar_get_num(&num);
    __atomic_store_n(&uses, 0, __ATOMIC_SEQ_CST);
}
#endif

#ifdef STUB_VERSION
int PMPI_Abi_get_version(int *major, int *minor);
int MPI_Abi_get_version(int *major, int *minor);
BOTH(Abi_get_version, (int *major, int *minor), (major, minor), {
    *major = STUB_VERSION;
    *minor = STUB_VERSION < 0 ? STUB_VERSION : 0;
})
#endif

BOTH(Init, (int *argc, char ***argv), (argc, argv), is_up = 1;)

BOTH(Finalize, (void), (), {
    if (on_delete)
        on_delete(MPI_COMM_SELF, 5, 0, 0);
    is_over = 1;
})

BOTH(Initialized, (int *flag), (flag), *flag = is_up;)
BOTH(Finalized, (int *flag), (flag), *flag = is_over;)

BOTH(Get_library_version, (char *version, int *len), (version, len), {
    strcpy(version, "Stub MPI 2.30\n built for no machine");
    *len = (int)strlen(version);
})

BOTH(Query_thread, (int *provided), (provided), *provided = MPI_THREAD_SINGLE;)

BOTH(Comm_rank, (MPI_Comm comm, int *rank), (comm, rank), {
    check_comm(comm);
    *rank = 0;
})

BOTH(Comm_size, (MPI_Comm comm, int *size), (comm, size), {
    check_comm(comm);
    *size = 1;
})

BOTH(Comm_test_inter, (MPI_Comm comm, int *flag), (comm, flag), {
    check_comm(comm);
    *flag = 0;
})

BOTH(Comm_get_name, (MPI_Comm comm, char *name, int *len), (comm, name, len), {
    check_comm(comm);
    strcpy(name, comm == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
    *len = (int)strlen(name);
})

BOTH(Comm_set_name, (MPI_Comm comm, const char *name), (comm, name), check_comm(comm);)

BOTH(Comm_group, (MPI_Comm comm, MPI_Group *group), (comm, group), {
    check_comm(comm);
    *group = MPI_GROUP_WORLD;
})

BOTH(Group_size, (MPI_Group group, int *size), (group, size), {
    check_group(group);
    *size = 1;
})

BOTH(Group_translate_ranks, (MPI_Group group, int n, const int *ranks, MPI_Group other, int *translated),
     (group, n, ranks, other, translated), {
         check_group(group);
         check_group(other);
         memcpy(translated, ranks, n * sizeof *ranks);
     })

BOTH(Group_free, (MPI_Group *group), (group), check_group(*group);)

BOTH(Comm_create_keyval, (MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *del, int *keyval, void *extra),
     (copy, del, keyval, extra), {
#ifdef STUB_INTEGERS
         fail("an unknown attribute");
#endif
         on_delete = del;
         *keyval = 5;
     })

BOTH(Comm_set_attr, (MPI_Comm comm, int keyval, void *value), (comm, keyval, value), check_comm(comm);)

BOTH(Type_size, (MPI_Datatype datatype, int *size), (datatype, size), {
    if (datatype != MPI_INT)
        fail("not a datatype");
    *size = 4;
})

BOTH(Send, (const void *data, int count, MPI_Datatype datatype, int to, int tag, MPI_Comm comm),
     (data, count, datatype, to, tag, comm), {
         check_comm(comm);
         if (datatype != MPI_INT || to != 0 || count != 1)
             fail("not a message");
         waiting = *(const int *)data;
         sent++;
     })

BOTH(Recv, (void *data, int count, MPI_Datatype datatype, int from, int tag, MPI_Comm comm, void *status),
     (data, count, datatype, from, tag, comm, status), {
         check_comm(comm);
         if (datatype != MPI_INT || from != 0 || count != 1)
             fail("not a message");
         *(int *)data = waiting;
     })

BOTH(Barrier, (MPI_Comm comm), (comm), check_comm(comm);)

BOTH(T_init_thread, (int required, int *provided), (required, provided), {
    if (required != MPI_THREAD_SINGLE)
        fail("not a thread level");
    tools++;
    *provided = required;
})

BOTH(T_finalize, (void), (), {
    if (!tools)
        return MPI_T_ERR_NOT_INITIALIZED;
    tools--;
})

BOTH(T_pvar_get_num, (int *num), (num), {
    if (!tools)
        return MPI_T_ERR_NOT_INITIALIZED;
    *num = 1;
})

BOTH(T_pvar_get_index, (const char *name, int var_class, int *index), (name, var_class, index), {
    if (strcmp(name, "stub_sent") || var_class != MPI_T_PVAR_CLASS_COUNTER)
        return MPI_T_ERR_INVALID_INDEX;
    *index = 0;
})

BOTH(T_pvar_get_info, (int index, char *name, int *name_len, int *verbosity, int *var_class, MPI_Datatype *datatype,
                       MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *readonly, int *continuous,
                       int *atomic),
     (index, name, name_len, verbosity, var_class, datatype, enumtype, desc, desc_len, bind, readonly, continuous, atomic), {
         if (index != 0)
             return MPI_T_ERR_INVALID_INDEX;
         use_the_interface();
         if (name && *name_len > 0)
             snprintf(name, *name_len, "stub_sent");
         *name_len = 10;
         if (desc && *desc_len > 0)
             snprintf(desc, *desc_len, "Sent.");
         *desc_len = 6;
         *verbosity = MPI_T_VERBOSITY_USER_BASIC;
         *var_class = MPI_T_PVAR_CLASS_COUNTER;
         *datatype = MPI_UNSIGNED_LONG_LONG;
         if (enumtype)
             *enumtype = STUB_ENUM;
         *bind = MPI_T_BIND_NO_OBJECT;
         *readonly = 1;
         *continuous = 1;
         *atomic = 0;
     })

BOTH(T_enum_get_info, (MPI_T_enum enumtype, int *num, char *name, int *name_len), (enumtype, num, name, name_len), {
    if (enumtype != STUB_ENUM)
        fail("not an enumeration");
    use_the_interface();
    *num = 1;
    if (name && *name_len > 0)
        snprintf(name, *name_len, "stub_numbers");
    *name_len = 13;
})

BOTH(T_enum_get_item, (MPI_T_enum enumtype, int index, int *value, char *name, int *name_len),
     (enumtype, index, value, name, name_len), {
         if (enumtype != STUB_ENUM || index != 0)
             fail("not an item");
         *value = 3;
         if (name && *name_len > 0)
             snprintf(name, *name_len, "three");
         *name_len = 6;
     })

BOTH(T_pvar_session_create, (MPI_T_pvar_session *session), (session), *session = &a_session;)
BOTH(T_pvar_session_free, (MPI_T_pvar_session *session), (session), *session = 0;)

BOTH(T_pvar_handle_alloc, (MPI_T_pvar_session session, int index, void *object, MPI_T_pvar_handle *handle, int *count),
     (session, index, object, handle, count), {
         if (session != &a_session || index != 0)
             return MPI_T_ERR_INVALID_INDEX;
         *handle = &a_handle;
         *count = 1;
     })

BOTH(T_pvar_handle_free, (MPI_T_pvar_session session, MPI_T_pvar_handle *handle), (session, handle), *handle = 0;)

BOTH(T_pvar_start, (MPI_T_pvar_session session, MPI_T_pvar_handle handle), (session, handle), {})

BOTH(T_pvar_read, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buffer), (session, handle, buffer), {
    if (session != &a_session || handle != &a_handle)
        fail("not a handle");
    *(unsigned long long *)buffer = sent;
})

BOTH(T_source_get_num, (int *num), (num), *num = 1;)

/* An event source of MPICH 4.0: no text may be left out. */
BOTH(T_source_get_info, (int index, char *name, int *name_len, char *desc, int *desc_len, int *ordering,
                              long long *ticks_per_second, long long *max_ticks, MPI_Info *info),
     (index, name, name_len, desc, desc_len, ordering, ticks_per_second, max_ticks, info), {
         if (index != 0 || !name || !desc)
             return MPI_T_ERR_INVALID_INDEX;
         if (*name_len > 0)
             snprintf(name, *name_len, "stub_clock");
         *name_len = 11;
         if (*desc_len > 0)
             snprintf(desc, *desc_len, "Ticks.");
         *desc_len = 7;
         *ordering = 0;
         *ticks_per_second = 1000;
         *max_ticks = 1LL << 40;
     })

/* Variadic: the further arguments mean something to this library. */
BOTH(Pcontrol, (const int level, ...), (level), {})
