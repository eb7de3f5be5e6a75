#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define END(code, text, ...) (printf(text "\n", ##__VA_ARGS__), fflush(stdout), _Exit(code))
#define FAILS(text, ...) END(1, "fails: " text, ##__VA_ARGS__)
#define HOLDS(tried, what) ((tried) ? END(0, "ok") : END(2, "not applicable: the library has no " what))
#define INIT() (MPI_Init(NULL, NULL), MPI_T_init_thread(MPI_THREAD_SINGLE, &(int){0}))
