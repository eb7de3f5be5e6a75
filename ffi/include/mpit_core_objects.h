/* mpit_core_objects.h: the MPI objects that tools bind handles to. Part of mpit_core_mpi.h, which includes it.
 *
 * The number of an object is the value of its handle, so mpit_core_object_freed is to be called with it when the object is freed.
 */
#ifndef MPIT_CORE_OBJECTS_H
#define MPIT_CORE_OBJECTS_H

#include "mpit_core.h"

#include <stdlib.h>

/* For an mpi.h without these types: those of the handles that tools pass. */
#ifndef MPIT_CORE_FILE
#define MPIT_CORE_FILE MPI_File
#endif
#ifndef MPIT_CORE_SESSION
#define MPIT_CORE_SESSION MPI_Session
#endif

#define MPIT_CORE_NUMBER(TYPE) (uint64_t)(uintptr_t)*(TYPE *)address

/* Describes the object whose handle is at an address, without ranks. */
static int mpit_core_object_of(int kind, void *address, struct mpit_object *object)
{
    object->kind = (uint32_t)kind;
    object->id = 0;
    object->num_ranks = 0;
    object->ranks = 0;
    if (kind == MPIT_BIND_NO_OBJECT)
        return MPI_SUCCESS;
    if (!address)
        return MPI_T_ERR_INVALID_HANDLE;
    switch (kind) {
    case MPIT_BIND_COMM:
        object->id = MPIT_CORE_NUMBER(MPI_Comm);
        return *(MPI_Comm *)address == MPI_COMM_NULL ? MPI_T_ERR_INVALID_HANDLE : MPI_SUCCESS;
    case MPIT_BIND_DATATYPE:
        object->id = MPIT_CORE_NUMBER(MPI_Datatype);
        break;
    case MPIT_BIND_ERRHANDLER:
        object->id = MPIT_CORE_NUMBER(MPI_Errhandler);
        break;
    case MPIT_BIND_FILE:
        object->id = MPIT_CORE_NUMBER(MPIT_CORE_FILE);
        break;
    case MPIT_BIND_SESSION:
        object->id = MPIT_CORE_NUMBER(MPIT_CORE_SESSION);
        break;
    case MPIT_BIND_GROUP:
        object->id = MPIT_CORE_NUMBER(MPI_Group);
        break;
    case MPIT_BIND_OP:
        object->id = MPIT_CORE_NUMBER(MPI_Op);
        break;
    case MPIT_BIND_REQUEST:
        object->id = MPIT_CORE_NUMBER(MPI_Request);
        break;
    case MPIT_BIND_WIN:
        object->id = MPIT_CORE_NUMBER(MPI_Win);
        break;
    case MPIT_BIND_MESSAGE:
        object->id = MPIT_CORE_NUMBER(MPI_Message);
        break;
    case MPIT_BIND_INFO:
        object->id = MPIT_CORE_NUMBER(MPI_Info);
        break;
    default:
        return MPI_T_ERR_INVALID_HANDLE;
    }
    return MPI_SUCCESS;
}

/* Writes the ranks of a communicator in the world. The caller frees them. */
static int mpit_core_ranks(MPI_Group group, MPI_Group world, struct mpit_object *object)
{
    int size, rank, *ranks, *in_world;
    if (PMPI_Group_size(group, &size) != MPI_SUCCESS)
        return MPI_T_ERR_INVALID_HANDLE;
    ranks = (int *)malloc((size_t)size * sizeof(int) * 2 + 1);
    if (!ranks)
        return MPI_T_ERR_MEMORY;
    in_world = ranks + size;
    for (rank = 0; rank < size; rank++)
        ranks[rank] = rank;
    if (PMPI_Group_translate_ranks(group, size, ranks, world, in_world) != MPI_SUCCESS) {
        free(ranks);
        return MPI_T_ERR_INVALID_HANDLE;
    }
    for (rank = 0; rank < size; rank++)
        ((uint32_t *)ranks)[rank] = in_world[rank] == MPI_UNDEFINED ? MPIT_OUTSIDE : (uint32_t)in_world[rank];
    object->num_ranks = (uint32_t)size;
    object->ranks = (const uint32_t *)ranks;
    return MPI_SUCCESS;
}

/* Describes the object whose handle is at an address, with the ranks of a communicator in the world. The caller frees `ranks`. Without a
 * world there are no communicators: MPI's own functions would end the program. */
static int mpit_core_object_with_ranks(int kind, void *address, struct mpit_object *object)
{
    MPI_Group group, world;
    int inter, is_initialized = 0, is_finalized = 1;
    int code = mpit_core_object_of(kind, address, object);
    if (code != MPI_SUCCESS || kind != MPIT_BIND_COMM)
        return code;
    if (PMPI_Initialized(&is_initialized) != MPI_SUCCESS || PMPI_Finalized(&is_finalized) != MPI_SUCCESS || !is_initialized ||
        is_finalized || PMPI_Comm_test_inter(*(MPI_Comm *)address, &inter) != MPI_SUCCESS ||
        (inter ? PMPI_Comm_remote_group : PMPI_Comm_group)(*(MPI_Comm *)address, &group) != MPI_SUCCESS)
        return MPI_T_ERR_INVALID_HANDLE;
    code = MPI_T_ERR_INVALID_HANDLE;
    if (PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
        code = mpit_core_ranks(group, world, object);
        PMPI_Group_free(&world);
    }
    PMPI_Group_free(&group);
    return code;
}

#endif
