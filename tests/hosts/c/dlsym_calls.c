/* Opens an MPI library at run time, and sends itself a message by functions that dlsym returns: `dlsym_calls LIBRARY
 * first|own`, the first definitions in the process or those of the library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *place;

static void *found(const char *name)
{
    void *address = dlsym(place, name);
    if (!address) {
        fprintf(stderr, "dlsym_calls: %s\n", dlerror());
        exit(1);
    }
    return address;
}

#define CALL(name) ((__typeof__(&name))(uintptr_t)found(#name))

/* Open MPI's constants are addresses in the library, which this program is not linked with. */
#ifdef OMPI_MAJOR_VERSION
#define WORLD ((MPI_Comm)found("ompi_mpi_comm_world"))
#define INT ((MPI_Datatype)found("ompi_mpi_int"))
#else
#define WORLD MPI_COMM_WORLD
#define INT MPI_INT
#endif

int main(int argc, char **argv)
{
    int block = 1, received = 0;
    MPI_Request request;
    void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;

    if (!library)
        return 2;
    place = strcmp(argv[2], "first") ? library : RTLD_DEFAULT;
    CALL(MPI_Init)(NULL, NULL);
    CALL(MPI_Irecv)(&received, 1, INT, 0, 0, WORLD, &request);
    CALL(MPI_Send)(&block, 1, INT, 0, 0, WORLD);
    CALL(MPI_Wait)(&request, MPI_STATUS_IGNORE);
    CALL(MPI_Finalize)();
    return received != block;
}
