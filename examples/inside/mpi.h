/* The mpi.h of the small MPI library in library.c: the parts that MPI_T needs. Its constants are those of no MPI library, so that a
 * number that is taken for one of another ABI is found. */
#ifndef MPI_H
#define MPI_H

typedef long MPI_Aint;
typedef long long MPI_Count;
typedef short MPI_Comm;
typedef int MPI_Datatype, MPI_Errhandler, MPI_Group, MPI_Info, MPI_Op, MPI_Request, MPI_Message;
typedef struct window *MPI_Win;
typedef struct file *MPI_File;
typedef short MPI_Session;

enum { MPI_SUCCESS = 0, MPI_UNDEFINED = -77, MPI_INFO_NULL = -900, MPI_COMM_NULL = -3, MPI_COMM_WORLD = 5, MPI_COMM_SELF = 6 };
enum { MPI_THREAD_SINGLE = 31, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };
enum {
    MPI_T_ERR_INVALID = 501, MPI_T_ERR_MEMORY, MPI_T_ERR_NOT_INITIALIZED, MPI_T_ERR_CANNOT_INIT, MPI_T_ERR_NOT_ACCESSIBLE,
    MPI_T_ERR_NOT_SUPPORTED, MPI_T_ERR_INVALID_INDEX, MPI_T_ERR_INVALID_NAME, MPI_T_ERR_INVALID_HANDLE,
    MPI_T_ERR_OUT_OF_HANDLES, MPI_T_ERR_OUT_OF_SESSIONS, MPI_T_ERR_INVALID_SESSION, MPI_T_ERR_CVAR_SET_NOT_NOW,
    MPI_T_ERR_CVAR_SET_NEVER, MPI_T_ERR_PVAR_NO_STARTSTOP, MPI_T_ERR_PVAR_NO_WRITE, MPI_T_ERR_PVAR_NO_ATOMIC
};
enum {
    MPI_DATATYPE_NULL = 8000, MPI_DOUBLE, MPI_CHAR, MPI_COUNT, MPI_UINT64_T, MPI_UINT32_T, MPI_UNSIGNED_LONG_LONG, MPI_UNSIGNED_LONG, MPI_UNSIGNED,
    MPI_INT64_T, MPI_INT32_T, MPI_INT
};
enum {
    MPI_T_VERBOSITY_USER_BASIC = 2, MPI_T_VERBOSITY_USER_DETAIL = 4, MPI_T_VERBOSITY_USER_ALL = 6,
    MPI_T_VERBOSITY_TUNER_BASIC = 8, MPI_T_VERBOSITY_TUNER_DETAIL = 10, MPI_T_VERBOSITY_TUNER_ALL = 12,
    MPI_T_VERBOSITY_MPIDEV_BASIC = 14, MPI_T_VERBOSITY_MPIDEV_DETAIL = 16, MPI_T_VERBOSITY_MPIDEV_ALL = 18
};
enum {
    MPI_T_BIND_NO_OBJECT = 70, MPI_T_BIND_MPI_COMM = 60, MPI_T_BIND_MPI_DATATYPE = 61, MPI_T_BIND_MPI_ERRHANDLER = 62,
    MPI_T_BIND_MPI_FILE = 63, MPI_T_BIND_MPI_GROUP = 64, MPI_T_BIND_MPI_OP = 65, MPI_T_BIND_MPI_REQUEST = 66,
    MPI_T_BIND_MPI_WIN = 67, MPI_T_BIND_MPI_MESSAGE = 68, MPI_T_BIND_MPI_INFO = 69, MPI_T_BIND_MPI_SESSION = 71
};
enum {
    MPI_T_SCOPE_CONSTANT = 90, MPI_T_SCOPE_READONLY = 80, MPI_T_SCOPE_LOCAL, MPI_T_SCOPE_GROUP, MPI_T_SCOPE_GROUP_EQ,
    MPI_T_SCOPE_ALL, MPI_T_SCOPE_ALL_EQ
};
enum {
    MPI_T_PVAR_CLASS_GENERIC = 41, MPI_T_PVAR_CLASS_TIMER, MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_PVAR_CLASS_COUNTER,
    MPI_T_PVAR_CLASS_LOWWATERMARK, MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_T_PVAR_CLASS_PERCENTAGE, MPI_T_PVAR_CLASS_SIZE,
    MPI_T_PVAR_CLASS_LEVEL, MPI_T_PVAR_CLASS_STATE
};
typedef enum {
    MPI_T_CB_REQUIRE_NONE = 3, MPI_T_CB_REQUIRE_MPI_RESTRICTED = 5, MPI_T_CB_REQUIRE_THREAD_SAFE = 7,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE = 9
} MPI_T_cb_safety;
typedef enum { MPI_T_SOURCE_UNORDERED = 21, MPI_T_SOURCE_ORDERED } MPI_T_source_order;

typedef struct own_enum *MPI_T_enum;
typedef struct own_cvar_handle *MPI_T_cvar_handle;
typedef struct own_pvar_handle *MPI_T_pvar_handle;
typedef struct own_session *MPI_T_pvar_session;
typedef struct own_registration *MPI_T_event_registration;
typedef struct own_instance *MPI_T_event_instance;
#define MPI_T_ENUM_NULL ((MPI_T_enum)0)
#define MPI_T_CVAR_HANDLE_NULL ((MPI_T_cvar_handle)0)
#define MPI_T_PVAR_HANDLE_NULL ((MPI_T_pvar_handle)0)
#define MPI_T_PVAR_SESSION_NULL ((MPI_T_pvar_session)0)
#define MPI_T_PVAR_ALL_HANDLES ((MPI_T_pvar_handle)-1)
typedef void MPI_T_event_cb_function(MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, void *);
typedef void MPI_T_event_free_cb_function(MPI_T_event_registration, MPI_T_cb_safety, void *);
typedef void MPI_T_event_dropped_cb_function(MPI_Count, MPI_T_event_registration, int, MPI_T_cb_safety, void *);

#define BOTH(NAME, ...) int MPI_##NAME(__VA_ARGS__); int PMPI_##NAME(__VA_ARGS__);
BOTH(Init, int *, char ***)
BOTH(Finalize, void)
BOTH(Initialized, int *)
BOTH(Finalized, int *)
BOTH(Send, const void *, int, MPI_Datatype, int, int, MPI_Comm)
BOTH(Comm_test_inter, MPI_Comm, int *)
BOTH(Comm_group, MPI_Comm, MPI_Group *)
BOTH(Comm_remote_group, MPI_Comm, MPI_Group *)
BOTH(Group_size, MPI_Group, int *)
BOTH(Group_translate_ranks, MPI_Group, int, const int *, MPI_Group, int *)
BOTH(Group_free, MPI_Group *)
BOTH(Info_create, MPI_Info *)
BOTH(T_init_thread, int, int *)
BOTH(T_finalize, void)
BOTH(T_enum_get_info, MPI_T_enum, int *, char *, int *)
BOTH(T_enum_get_item, MPI_T_enum, int, int *, char *, int *)
BOTH(T_cvar_get_num, int *)
BOTH(T_cvar_get_info, int, char *, int *, int *, MPI_Datatype *, MPI_T_enum *, char *, int *, int *, int *)
BOTH(T_cvar_get_index, const char *, int *)
BOTH(T_cvar_handle_alloc, int, void *, MPI_T_cvar_handle *, int *)
BOTH(T_cvar_handle_free, MPI_T_cvar_handle *)
BOTH(T_cvar_read, MPI_T_cvar_handle, void *)
BOTH(T_cvar_write, MPI_T_cvar_handle, const void *)
BOTH(T_pvar_get_num, int *)
BOTH(T_pvar_get_info, int, char *, int *, int *, int *, MPI_Datatype *, MPI_T_enum *, char *, int *, int *, int *, int *, int *)
BOTH(T_pvar_get_index, const char *, int, int *)
BOTH(T_pvar_session_create, MPI_T_pvar_session *)
BOTH(T_pvar_session_free, MPI_T_pvar_session *)
BOTH(T_pvar_handle_alloc, MPI_T_pvar_session, int, void *, MPI_T_pvar_handle *, int *)
BOTH(T_pvar_handle_free, MPI_T_pvar_session, MPI_T_pvar_handle *)
BOTH(T_pvar_start, MPI_T_pvar_session, MPI_T_pvar_handle)
BOTH(T_pvar_stop, MPI_T_pvar_session, MPI_T_pvar_handle)
BOTH(T_pvar_read, MPI_T_pvar_session, MPI_T_pvar_handle, void *)
BOTH(T_pvar_write, MPI_T_pvar_session, MPI_T_pvar_handle, const void *)
BOTH(T_pvar_reset, MPI_T_pvar_session, MPI_T_pvar_handle)
BOTH(T_pvar_readreset, MPI_T_pvar_session, MPI_T_pvar_handle, void *)
BOTH(T_category_get_num, int *)
BOTH(T_category_get_info, int, char *, int *, char *, int *, int *, int *, int *)
BOTH(T_category_get_num_events, int, int *)
BOTH(T_category_get_index, const char *, int *)
BOTH(T_category_get_cvars, int, int, int[])
BOTH(T_category_get_pvars, int, int, int[])
BOTH(T_category_get_events, int, int, int[])
BOTH(T_category_get_categories, int, int, int[])
BOTH(T_category_changed, int *)
BOTH(T_source_get_num, int *)
BOTH(T_source_get_info, int, char *, int *, char *, int *, MPI_T_source_order *, MPI_Count *, MPI_Count *, MPI_Info *)
BOTH(T_source_get_timestamp, int, MPI_Count *)
BOTH(T_event_get_num, int *)
BOTH(T_event_get_info, int, char *, int *, int *, MPI_Datatype[], MPI_Aint[], int *, MPI_T_enum *, MPI_Info *, char *, int *, int *)
BOTH(T_event_get_index, const char *, int *)
BOTH(T_event_handle_alloc, int, void *, MPI_Info, MPI_T_event_registration *)
BOTH(T_event_handle_set_info, MPI_T_event_registration, MPI_Info)
BOTH(T_event_handle_get_info, MPI_T_event_registration, MPI_Info *)
BOTH(T_event_register_callback, MPI_T_event_registration, MPI_T_cb_safety, MPI_Info, void *, MPI_T_event_cb_function)
BOTH(T_event_callback_set_info, MPI_T_event_registration, MPI_T_cb_safety, MPI_Info)
BOTH(T_event_callback_get_info, MPI_T_event_registration, MPI_T_cb_safety, MPI_Info *)
BOTH(T_event_handle_free, MPI_T_event_registration, void *, MPI_T_event_free_cb_function)
BOTH(T_event_set_dropped_handler, MPI_T_event_registration, MPI_T_event_dropped_cb_function)
BOTH(T_event_read, MPI_T_event_instance, int, void *)
BOTH(T_event_copy, MPI_T_event_instance, void *)
BOTH(T_event_get_timestamp, MPI_T_event_instance, MPI_Count *)
BOTH(T_event_get_source, MPI_T_event_instance, int *)
#undef BOTH

#endif
