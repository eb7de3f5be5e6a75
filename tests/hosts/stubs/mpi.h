/* The interface of the libraries in stub_mpi.c, each with its own constants:
 *
 * STUB_INTEGERS    handles are small integers, as in HPE MPT; no constant is that of a known ABI
 * STUB_STANDARD    the standard ABI
 * STUB_OBJECTS     Open MPI's own ABI */
#ifndef STUB_MPI_H
#define STUB_MPI_H

#include <stddef.h>

#if defined(STUB_INTEGERS)
typedef int MPI_Comm, MPI_Datatype, MPI_Group, MPI_Info;
typedef int MPI_T_enum;
#define MPI_COMM_WORLD 1
#define MPI_COMM_SELF 2
#define MPI_GROUP_WORLD 7
#define STUB_ENUM 21
#define MPI_INT 3
#define MPI_UNSIGNED_LONG_LONG 14
#define MPI_THREAD_SINGLE 4
#define MPI_T_PVAR_CLASS_COUNTER 77
#define MPI_T_VERBOSITY_USER_BASIC 33
#define MPI_T_BIND_NO_OBJECT 55
#define MPI_T_ERR_INVALID_INDEX 901
#define MPI_T_ERR_NOT_INITIALIZED 902
#elif defined(STUB_STANDARD)
typedef struct stub_comm *MPI_Comm;
typedef struct stub_datatype *MPI_Datatype;
typedef struct stub_group *MPI_Group;
typedef struct stub_info *MPI_Info;
typedef struct stub_enum *MPI_T_enum;
#define MPI_COMM_WORLD ((MPI_Comm)257)
#define MPI_COMM_SELF ((MPI_Comm)258)
#define MPI_GROUP_WORLD ((MPI_Group)4096)
#define STUB_ENUM ((MPI_T_enum)64)
#define MPI_INT ((MPI_Datatype)521)
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)527)
#define MPI_THREAD_SINGLE 0
#define MPI_T_PVAR_CLASS_COUNTER 7
#define MPI_T_VERBOSITY_USER_BASIC 9
#define MPI_T_BIND_NO_OBJECT 1
#define MPI_T_ERR_INVALID_INDEX 1007
#define MPI_T_ERR_NOT_INITIALIZED 1003
#elif defined(STUB_OBJECTS)
typedef struct stub_object *MPI_Comm, *MPI_Datatype, *MPI_Group, *MPI_Info;
typedef struct stub_enum *MPI_T_enum;
struct stub_object {
    char padding[512];
};
extern struct stub_object ompi_mpi_comm_world, ompi_mpi_comm_self, ompi_mpi_comm_null, ompi_mpi_int,
    ompi_mpi_unsigned_long_long, ompi_mpi_group_world;
#define MPI_COMM_WORLD (&ompi_mpi_comm_world)
#define MPI_COMM_SELF (&ompi_mpi_comm_self)
#define MPI_GROUP_WORLD (&ompi_mpi_group_world)
#define STUB_ENUM ((MPI_T_enum)64)
#define MPI_INT (&ompi_mpi_int)
#define MPI_UNSIGNED_LONG_LONG (&ompi_mpi_unsigned_long_long)
#define MPI_THREAD_SINGLE 0
#define MPI_T_PVAR_CLASS_COUNTER 6
#define MPI_T_VERBOSITY_USER_BASIC 0
#define MPI_T_BIND_NO_OBJECT 0
#define MPI_T_ERR_INVALID_INDEX 57
#define MPI_T_ERR_NOT_INITIALIZED 55
#else
#error "one of STUB_INTEGERS, STUB_STANDARD and STUB_OBJECTS"
#endif

typedef void *MPI_T_pvar_session, *MPI_T_pvar_handle;
typedef int(MPI_Comm_copy_attr_function)(MPI_Comm, int, void *, void *, void *, int *);
typedef int(MPI_Comm_delete_attr_function)(MPI_Comm, int, void *, void *);

#define MPI_SUCCESS 0
#define MPI_MAX_LIBRARY_VERSION_STRING 8192

/* Each function under both its names. */
#define STUB_BOTH(name, parameters) \
    int MPI_##name parameters;      \
    int PMPI_##name parameters;

STUB_BOTH(Init, (int *argc, char ***argv))
STUB_BOTH(Finalize, (void))
STUB_BOTH(Initialized, (int *flag))
STUB_BOTH(Finalized, (int *flag))
STUB_BOTH(Get_library_version, (char *version, int *len))
STUB_BOTH(Query_thread, (int *provided))
STUB_BOTH(Comm_rank, (MPI_Comm comm, int *rank))
STUB_BOTH(Comm_size, (MPI_Comm comm, int *size))
STUB_BOTH(Comm_test_inter, (MPI_Comm comm, int *flag))
STUB_BOTH(Comm_get_name, (MPI_Comm comm, char *name, int *len))
STUB_BOTH(Comm_set_name, (MPI_Comm comm, const char *name))
STUB_BOTH(Comm_group, (MPI_Comm comm, MPI_Group *group))
STUB_BOTH(Group_size, (MPI_Group group, int *size))
STUB_BOTH(Group_translate_ranks, (MPI_Group group, int n, const int *ranks, MPI_Group other, int *translated))
STUB_BOTH(Group_free, (MPI_Group *group))
STUB_BOTH(Comm_create_keyval, (MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *del, int *keyval,
                               void *extra))
STUB_BOTH(Comm_set_attr, (MPI_Comm comm, int keyval, void *value))
STUB_BOTH(Type_size, (MPI_Datatype datatype, int *size))
STUB_BOTH(Send, (const void *data, int count, MPI_Datatype datatype, int to, int tag, MPI_Comm comm))
STUB_BOTH(Recv, (void *data, int count, MPI_Datatype datatype, int from, int tag, MPI_Comm comm, void *status))
STUB_BOTH(Barrier, (MPI_Comm comm))
STUB_BOTH(Pcontrol, (const int level, ...))
STUB_BOTH(T_init_thread, (int required, int *provided))
STUB_BOTH(T_finalize, (void))
STUB_BOTH(T_pvar_get_num, (int *num))
STUB_BOTH(T_pvar_get_index, (const char *name, int var_class, int *index))
STUB_BOTH(T_pvar_get_info, (int index, char *name, int *name_len, int *verbosity, int *var_class, MPI_Datatype *datatype,
                            MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *readonly, int *continuous,
                            int *atomic))
STUB_BOTH(T_pvar_session_create, (MPI_T_pvar_session *session))
STUB_BOTH(T_pvar_session_free, (MPI_T_pvar_session *session))
STUB_BOTH(T_pvar_handle_alloc, (MPI_T_pvar_session session, int index, void *object, MPI_T_pvar_handle *handle, int *count))
STUB_BOTH(T_pvar_handle_free, (MPI_T_pvar_session session, MPI_T_pvar_handle *handle))
STUB_BOTH(T_pvar_start, (MPI_T_pvar_session session, MPI_T_pvar_handle handle))
STUB_BOTH(T_pvar_read, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buffer))
STUB_BOTH(T_enum_get_info, (MPI_T_enum enumtype, int *num, char *name, int *name_len))
STUB_BOTH(T_enum_get_item, (MPI_T_enum enumtype, int index, int *value, char *name, int *name_len))
STUB_BOTH(T_source_get_num, (int *num))
STUB_BOTH(T_source_get_info, (int index, char *name, int *name_len, char *desc, int *desc_len, int *ordering,
                              long long *ticks_per_second, long long *max_ticks, MPI_Info *info))
#undef STUB_BOTH

#endif
