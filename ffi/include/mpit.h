/* mpit.h: the complete MPI tool information interface, on any MPI library.
 *
 * Include it instead of mpi.h. It includes mpi.h and adds missing declarations: libraries before MPI-4 (Open MPI 4 and 5)
 * have no events and no sources. libmpit_preload.so defines the functions, so run a program that calls them under
 * `mpit run`, or link it with that library in front of the MPI library.
 *
 * Constants that mpi.h lacks have the values of later versions of Open MPI.
 */
#ifndef MPIT_H
#define MPIT_H

#include <mpi.h>

#include "mpit_region.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A program that calls only functions of MPI_T finds all of them in libmpit_preload.so, so a linker with --as-needed, which is
 * a common default, would drop the MPI library. This reference keeps it. */
static int (*const mpit_needs_the_mpi_library)(int *, int *) __attribute__((used)) = MPI_Get_version;

#if MPI_VERSION < 4

#ifndef MPI_T_ERR_NOT_ACCESSIBLE
#define MPI_T_ERR_NOT_ACCESSIBLE 81
#endif
#ifndef MPI_T_ERR_NOT_SUPPORTED
#define MPI_T_ERR_NOT_SUPPORTED 82
#endif

typedef enum {
    MPI_T_CB_REQUIRE_NONE = 0,
    MPI_T_CB_REQUIRE_MPI_RESTRICTED = 1,
    MPI_T_CB_REQUIRE_THREAD_SAFE = 2,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE = 3
} MPI_T_cb_safety;

typedef enum { MPI_T_SOURCE_ORDERED = 0, MPI_T_SOURCE_UNORDERED = 1 } MPI_T_source_order;

typedef struct mpit_event_registration *MPI_T_event_registration;
typedef struct mpit_event_instance *MPI_T_event_instance;

typedef void(MPI_T_event_cb_function)(MPI_T_event_instance event_instance, MPI_T_event_registration event_registration,
                                      MPI_T_cb_safety cb_safety, void *user_data);
typedef void(MPI_T_event_free_cb_function)(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                                           void *user_data);
typedef void(MPI_T_event_dropped_cb_function)(MPI_Count count, MPI_T_event_registration event_registration,
                                              int source_index, MPI_T_cb_safety cb_safety, void *user_data);

/* Declares a function under both its names. */
#define MPIT_BOTH(name, arguments) \
    int MPI_T_##name arguments;    \
    int PMPI_T_##name arguments;

MPIT_BOTH(source_get_num, (int *num_sources))
MPIT_BOTH(source_get_info, (int source_index, char *name, int *name_len, char *desc, int *desc_len,
                            MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks,
                            MPI_Info *info))
MPIT_BOTH(source_get_timestamp, (int source_index, MPI_Count *timestamp))
MPIT_BOTH(event_get_num, (int *num_events))
MPIT_BOTH(event_get_info, (int event_index, char *name, int *name_len, int *verbosity,
                           MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[], int *num_elements,
                           MPI_T_enum *enumtype, MPI_Info *info, char *desc, int *desc_len, int *bind))
MPIT_BOTH(event_get_index, (const char *name, int *event_index))
MPIT_BOTH(event_handle_alloc, (int event_index, void *obj_handle, MPI_Info info,
                               MPI_T_event_registration *event_registration))
MPIT_BOTH(event_handle_set_info, (MPI_T_event_registration event_registration, MPI_Info info))
MPIT_BOTH(event_handle_get_info, (MPI_T_event_registration event_registration, MPI_Info *info_used))
MPIT_BOTH(event_register_callback, (MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                                    MPI_Info info, void *user_data, MPI_T_event_cb_function event_cb_function))
MPIT_BOTH(event_callback_set_info, (MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                                    MPI_Info info))
MPIT_BOTH(event_callback_get_info, (MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                                    MPI_Info *info_used))
MPIT_BOTH(event_handle_free, (MPI_T_event_registration event_registration, void *user_data,
                              MPI_T_event_free_cb_function free_cb_function))
MPIT_BOTH(event_set_dropped_handler, (MPI_T_event_registration event_registration,
                                      MPI_T_event_dropped_cb_function dropped_cb_function))
MPIT_BOTH(event_read, (MPI_T_event_instance event_instance, int element_index, void *buffer))
MPIT_BOTH(event_copy, (MPI_T_event_instance event_instance, void *buffer))
MPIT_BOTH(event_get_timestamp, (MPI_T_event_instance event_instance, MPI_Count *event_timestamp))
MPIT_BOTH(event_get_source, (MPI_T_event_instance event_instance, int *source_index))
MPIT_BOTH(category_get_num_events, (int cat_index, int *num_events))
MPIT_BOTH(category_get_events, (int cat_index, int len, int indices[]))

#undef MPIT_BOTH

#endif /* MPI_VERSION < 4 */

/* MPICH 4.0 has the functions of MPI-4 without these constants. */
#if defined(MPICH_NUMVERSION) && !defined(MPI_ABI_VERSION)
#ifndef MPI_T_ERR_NOT_ACCESSIBLE
#define MPI_T_ERR_NOT_ACCESSIBLE 79
#endif
#if MPICH_NUMVERSION < 40100000
#define MPI_T_BIND_MPI_SESSION 9711
#endif
#endif

#ifdef __cplusplus
}
#endif

#endif /* MPIT_H */
