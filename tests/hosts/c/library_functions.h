/* Functions of the MPI library itself: calls of these bypass all interposition, mpit's included. The program defines _GNU_SOURCE
 * before its first include. */
#ifndef LIBRARY_FUNCTIONS_H
#define LIBRARY_FUNCTIONS_H

#include "require.h"

#include <dlfcn.h>
#include <stdint.h>

/* A function of any type, which the caller casts. */
typedef int library_function(void *);

static inline library_function *of_library(const char *name)
{
    Dl_info library;
    void *handle = NULL, *function = NULL;

    if (dladdr((void *)(uintptr_t)PMPI_Init, &library))
        handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (handle)
        function = dlsym(handle, name);
    require(function != NULL, name);
    return (library_function *)(uintptr_t)function;
}

/* Sets an error handler that mpit does not see. */
static inline void let_errors_return_unseen(MPI_Comm comm)
{
    typedef int set_errhandler(MPI_Comm, MPI_Errhandler);
    ((set_errhandler *)(uintptr_t)of_library("PMPI_Comm_set_errhandler"))(comm, MPI_ERRORS_RETURN);
}

#endif
