/* Annotations for Caliper, with numbers of barriers that are built in. With `LIBRARY` defined, a library with the names of Caliper's
 * functions that counts their calls; with `PLUGIN`, a library that makes them; otherwise a program that makes them, or opens the second
 * library, which its argument names, so that all functions are in a scope of their own. */
#include <stdint.h>

/* Version 1 of Caliper returns an error. */
int cali_begin_region(const char *name);
int cali_end_region(const char *name);
void cali_begin_phase(const char *name);
void cali_end_phase(const char *name);
void cali_begin_comm_region(const char *name);
void cali_end_comm_region(const char *name);
void cali_begin_string(uint64_t attribute, const char *value);
void cali_begin_int(uint64_t attribute, int value);
void cali_end(uint64_t attribute);
void cali_begin_byname(const char *attribute);
void cali_begin_string_byname(const char *attribute, const char *value);
void cali_end_byname(const char *attribute);
int cali_number_of_calls(void);

#ifdef LIBRARY

static int calls;

int cali_begin_region(const char *name) { return ++calls, name[0]; }
int cali_end_region(const char *name) { return ++calls, -name[0]; }
void cali_begin_phase(const char *name) { calls += name[0] != 0; }
void cali_end_phase(const char *name) { calls += name[0] != 0; }
/* A library may itself call functions that programs call. */
void cali_begin_comm_region(const char *name) { cali_begin_region(name); }
void cali_end_comm_region(const char *name) { cali_end_region(name); }
void cali_begin_string(uint64_t attribute, const char *value) { calls += attribute == 7 && value[0] != 0; }
void cali_begin_int(uint64_t attribute, int value) { calls += attribute == 8 && value == 3; }
void cali_end(uint64_t attribute) { calls += attribute == 7 || attribute == 8; }
void cali_begin_byname(const char *attribute) { calls += attribute[0] != 0; }
void cali_begin_string_byname(const char *attribute, const char *value) { calls += attribute[0] != 0 && value[0] != 0; }
void cali_end_byname(const char *attribute) { calls += attribute[0] != 0; }
int cali_number_of_calls(void) { return calls; }

#else

#include <mpi.h>

int annotated(void);

#if !defined(OPENS) || defined(PLUGIN)

static void barriers(int count)
{
    while (count-- > 0)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* Returns the number of calls that Caliper has seen: 14, or -1 if a result is not that of Caliper. */
int annotated(void)
{
    if (cali_begin_region("region") != 'r')
        return -1;
    barriers(1);
    cali_begin_phase("phase");
    barriers(2);
    cali_begin_int(8, 3);
    barriers(4);
    cali_end(8);
    cali_end_phase("phase");
    cali_begin_comm_region("halo");
    barriers(5);
    cali_end_comm_region("halo");
    cali_begin_string(7, "phase one");
    barriers(6);
    cali_end(7);
    cali_begin_byname("setup");
    barriers(7);
    cali_end_byname("setup");
    cali_begin_string_byname("stage", "second");
    barriers(8);
    cali_end_byname("stage");
    barriers(9);
    if (cali_end_region("region") != -'r')
        return -1;
    barriers(10);
    return cali_number_of_calls();
}

#endif

#ifndef PLUGIN

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int (*function)(void) = 0, rank, calls;

#ifdef OPENS
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : 0, *found = library ? dlsym(library, "annotated") : 0;

    memcpy(&function, &found, sizeof function);
    if (!function) {
        fprintf(stderr, "%s\n", dlerror());
        return 3;
    }
#else
    function = annotated;
#endif
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    calls = function();
    if (rank == 0)
        printf("%d calls\n", calls);
    MPI_Finalize();
    return 0;
}

#endif
#endif
