/* mpit_region.h: regions of a program, by which `mpit report` splits the calls of MPI and their times.
 *
 *     mpit_region_begin("solver");
 *     ...
 *     mpit_region_end("solver");
 *
 * Regions may be inside of each other: the innermost one counts. They are of the calling thread with MPI_THREAD_MULTIPLE, and of
 * the process otherwise. Without mpit in the process, both functions do nothing, so a program needs no other build.
 *
 * The header needs no library. With a glibc before 2.34, link with -ldl.
 */
#ifndef MPIT_REGION_H
#define MPIT_REGION_H

#include <dlfcn.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void(mpit_region_function)(const char *name);

/* Returns a function of libmpit_preload.so, or null if it is not in the process. A weak symbol would be null in all programs that are
 * compiled without -fPIE. */
static inline mpit_region_function *mpit_region_find(const char *symbol)
{
    /* The value of RTLD_DEFAULT, which some headers declare on request only. */
    void *everywhere = 0, *found = dlsym(everywhere, symbol);
    mpit_region_function *function = 0;

    memcpy(&function, &found, sizeof function);
    return function;
}

/* Begins a region of the program. */
static inline void mpit_region_begin(const char *name)
{
    static mpit_region_function *function;
    static int is_known;

    if (!__atomic_load_n(&is_known, __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&function, mpit_region_find("mpit_region_begin"), __ATOMIC_RELAXED);
        __atomic_store_n(&is_known, 1, __ATOMIC_RELEASE);
    }
    if (function)
        function(name);
}

/* Ends a region of the program: the one that began last. */
static inline void mpit_region_end(const char *name)
{
    static mpit_region_function *function;
    static int is_known;

    if (!__atomic_load_n(&is_known, __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&function, mpit_region_find("mpit_region_end"), __ATOMIC_RELAXED);
        __atomic_store_n(&is_known, 1, __ATOMIC_RELEASE);
    }
    if (function)
        function(name);
}

#ifdef __cplusplus
}
#endif

#endif
