/* Annotations for Caliper, with numbers of barriers that are built in. With `LIBRARY` defined, a library with the names of Caliper's
 * functions that counts their calls; with `PLUGIN`, a library that makes them; otherwise a program that makes them, or opens the second
 * library, which its argument names, so that all functions are in a scope of their own. */
#include <stdint.h>

/* Functions of C++, by the names that the linker sees. */
void cali_function_begin(void *self, const char *name) __asm__("_ZN4cali8FunctionC1EPKc");
void cali_function_end(void *self) __asm__("_ZN4cali8FunctionD1Ev");
void cali_scope_begin(void *self, const char *name) __asm__("_ZN4cali15ScopeAnnotationC1EPKc");
void cali_scope_end(void *self) __asm__("_ZN4cali15ScopeAnnotationD1Ev");
void cali_loop_begin(void *self, const char *name) __asm__("_ZN4cali4LoopC1EPKc");
void cali_loop_end(void *self) __asm__("_ZN4cali4Loop3endEv");
void cali_loop_drop(void *self) __asm__("_ZN4cali4LoopD1Ev");

void cali_begin_region(const char *name);
void cali_end_region(const char *name);
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

void cali_begin_region(const char *name) { calls += name[0] != 0; }
void cali_end_region(const char *name) { calls += name[0] != 0; }
/* A library may itself call functions that programs call. */
void cali_begin_comm_region(const char *name) { cali_begin_region(name); }
void cali_end_comm_region(const char *name) { cali_end_region(name); }
void cali_begin_string(uint64_t attribute, const char *value) { calls += attribute == 7 && value[0] != 0; }
void cali_begin_int(uint64_t attribute, int value) { calls += attribute == 8 && value == 3; }
void cali_end(uint64_t attribute) { calls += attribute == 7 || attribute == 8; }
void cali_begin_byname(const char *attribute) { calls += attribute[0] != 0; }
void cali_begin_string_byname(const char *attribute, const char *value) { calls += attribute[0] != 0 && value[0] != 0; }
void cali_end_byname(const char *attribute) { calls += attribute[0] != 0; }
void cali_function_begin(void *self, const char *name) { calls += self && name[0] != 0; }
void cali_function_end(void *self) { calls += self != 0; }
void cali_scope_begin(void *self, const char *name) { calls += self && name[0] != 0; }
void cali_scope_end(void *self) { calls += self != 0; }
void cali_loop_begin(void *self, const char *name) { calls += self && name[0] != 0; }
void cali_loop_end(void *self) { calls += self != 0; }
void cali_loop_drop(void *self) { calls += self != 0; }
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

/* Returns the number of calls that Caliper has seen: 19. */
int annotated(void)
{
    char function, scope, loop;

    cali_begin_region("region");
    barriers(1);
    cali_function_begin(&function, "function");
    barriers(2);
    cali_scope_begin(&scope, "scope");
    barriers(3);
    cali_scope_end(&scope);
    cali_loop_begin(&loop, "loop");
    cali_begin_int(8, 3);
    barriers(4);
    cali_end(8);
    cali_loop_end(&loop);
    cali_loop_drop(&loop);
    cali_function_end(&function);
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
    cali_end_region("region");
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
