/* mpit_region.h: regions of a program, by which `mpit report` splits the calls of MPI and their times.
 *
 *     mpit_region_begin("solver");
 *     ...
 *     mpit_region_end("solver");
 *
 * Regions may be inside of each other: the innermost one counts. They are of the calling thread with MPI_THREAD_MULTIPLE, and of
 * the process otherwise. Without mpit in the process, both functions do nothing, so a program needs no other build.
 *
 * Each program and shared library looks once for libmpit_preload.so, when it is loaded, and remembers the result. So a library
 * that is loaded later, by dlopen, has regions as well. libmpit_preload.so itself is in the process from the start, by
 * `mpit run` or as a library that the program is linked with. If a program opens it later, only what is loaded after it has regions.
 *
 * The header needs no library. With a glibc before 2.34, link with -ldl; there the first call looks for the library.
 */
#ifndef MPIT_REGION_H
#define MPIT_REGION_H

#include <dlfcn.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void(mpit_region_function)(const char *name);

/* The functions of libmpit_preload.so, or null. */
struct mpit_region_functions {
    mpit_region_function *begin, *end;
};

static inline void mpit_region_begin_first(const char *name);
static inline void mpit_region_end_first(const char *name);

/* One in each program and shared library. Before the search, its functions search. A weak reference to mpit_region_begin would be
 * null in all programs that are compiled without -fPIE. */
__attribute__((weak, visibility("hidden"))) struct mpit_region_functions mpit_region_functions = {mpit_region_begin_first,
                                                                                                  mpit_region_end_first};

/* Looks for a function of libmpit_preload.so, and stores it. */
static inline void mpit_region_find(mpit_region_function **function, const char *symbol)
{
    /* The value of RTLD_DEFAULT, which some headers declare on request only. */
    void *everywhere = 0, *found = dlsym(everywhere, symbol);
    mpit_region_function *converted = 0;

    memcpy(&converted, &found, sizeof converted);
    __atomic_store_n(function, converted, __ATOMIC_RELAXED);
}

/* Begins a region of the program. */
static inline __attribute__((always_inline)) void mpit_region_begin(const char *name)
{
    mpit_region_function *begin = __atomic_load_n(&mpit_region_functions.begin, __ATOMIC_RELAXED);

    if (begin)
        begin(name);
}

/* Ends a region of the program: the one that began last. */
static inline __attribute__((always_inline)) void mpit_region_end(const char *name)
{
    mpit_region_function *end = __atomic_load_n(&mpit_region_functions.end, __ATOMIC_RELAXED);

    if (end)
        end(name);
}

static inline void mpit_region_begin_first(const char *name)
{
    mpit_region_find(&mpit_region_functions.begin, "mpit_region_begin");
    mpit_region_begin(name);
}

static inline void mpit_region_end_first(const char *name)
{
    mpit_region_find(&mpit_region_functions.end, "mpit_region_end");
    mpit_region_end(name);
}

/* Without dlsym in the C library, a constructor would need -ldl wherever this header is included. */
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 34)
#define MPIT_REGION_HAS_DLSYM
#endif
#else
#define MPIT_REGION_HAS_DLSYM
#endif

#ifdef MPIT_REGION_HAS_DLSYM
/* Runs before all other constructors that a program can have, which may begin regions. */
static __attribute__((constructor(101))) void mpit_region_find_all(void)
{
    /* Another object file of this program or library may have done it. */
    if (__atomic_load_n(&mpit_region_functions.begin, __ATOMIC_RELAXED) == mpit_region_begin_first) {
        mpit_region_find(&mpit_region_functions.begin, "mpit_region_begin");
        mpit_region_find(&mpit_region_functions.end, "mpit_region_end");
    }
}
#endif

#ifdef __cplusplus
}
#endif

#endif
