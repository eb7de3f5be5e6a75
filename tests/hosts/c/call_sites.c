/* Calls of MPI from several places, with counts and times that are built in. Each place is a line with a comment `site: NAME`,
 * which the test finds. With the argument `kill`, rank 0 ends in the middle; with `many`, calls come from 5000 places. With `turns` and
 * paths of three libraries, calls come from libraries that are loaded and closed in turn, from another namespace and from generated code. */
#define _GNU_SOURCE
#ifdef WITHOUT_MPI
/* A library whose calls have the address of a function, so that it can be in another namespace of the dynamic linker. */
void call_for(int (*call)(void *), void *argument, int times);
void call_for(int (*call)(void *), void *argument, int times)
{
    while (times-- > 0)
        call(argument);
}
#else
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAUSE_MS 30
#define STEPS 10

#ifdef TURN
void call_in_turn(int times);
void call_in_turn(int times)
{
    while (times-- > 0)
        MPI_Barrier(MPI_COMM_SELF); /* site: in turn */
}
#elif defined LIBRARY
void send_from_library(int *value, int dest);
void send_from_library(int *value, int dest)
{
    MPI_Send(value, 1, MPI_INT, dest, 3, MPI_COMM_WORLD); /* site: library */
}
#else
#ifdef OVER_LIBRARY
void send_from_library(int *value, int dest);
#endif

static int rank, size;

__attribute__((noinline)) static void wait_for_late(void)
{
    int value = 0, step;

    for (step = 0; step < STEPS; step++) {
        if (rank == 0) {
            usleep(PAUSE_MS * 1000);
            MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD); /* site: late send */
        } else if (rank == 1) {
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* site: late receive */
        }
    }
}

__attribute__((always_inline)) static inline void inlined_barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD); /* site: inlined */
    __asm__ volatile("");
}

__attribute__((noinline)) static void exchange(int step)
{
    int value[3] = {rank, step, 0}, other = rank ^ 1;

    if (step % 2 == 0) {
        MPI_Sendrecv_replace(value, 2, MPI_INT, other, 2, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* site: even */
        __asm__ volatile("");
    } else {
        MPI_Sendrecv_replace(value, 3, MPI_INT, other, 2, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* site: odd */
        __asm__ volatile("");
    }
}

#define TEN(call) call call call call call call call call call call

static void call_from_many_places(void)
{
    /* clang-format off */
#define ONE MPI_Barrier(MPI_COMM_SELF);
    TEN(TEN(TEN(ONE ONE ONE ONE ONE)))
    /* clang-format on */
}

/* Loads a library, and finds a function of it. */
static void *open_library(const char *path, const char *name, void **function)
{
    void *library = dlopen(path, RTLD_NOW);

    if (!library || !(*function = dlsym(library, name))) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
    return library;
}

/* Makes 30 calls from the first library and 9 from the second one, at the same address, and so once more; then 5 from the third one in
 * another namespace, 6 from it with RTLD_DEEPBIND, and 4 from generated code. */
static void call_in_turns(char **paths)
{
#ifdef __x86_64__
    static const unsigned char code[] = {0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x48, 0x83, 0xec,
                                         0x08, 0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08, 0xc3};
#else
    static const unsigned code[] = {0xa9bf7bfd, 0xaa0003e9, 0xaa0103e0, 0xd63f0120, 0xa8c17bfd, 0xd65f03c0};
#endif
    int (*barrier)(void *) = (int (*)(void *))(void *)MPI_Barrier;
    void *self = (void *)(intptr_t)MPI_COMM_SELF, *apart, *generated;
    int turn;

    for (turn = 0; turn < 4; turn++) {
        void (*call)(int), *library = open_library(paths[turn % 2], "call_in_turn", (void **)&call);

        call(turn % 2 ? 9 : 30);
        dlclose(library);
    }
    for (turn = 0; turn < 2; turn++) {
        void (*call_for)(int (*)(void *), void *, int);

        apart = turn ? dlopen(paths[2], RTLD_NOW | RTLD_DEEPBIND) : dlmopen(LM_ID_NEWLM, paths[2], RTLD_NOW);
        if (!apart)
            continue;
        *(void **)&call_for = dlsym(apart, "call_for");
        call_for(barrier, self, turn ? 6 : 5);
        dlclose(apart);
    }
    generated = mmap(NULL, sizeof code, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(generated, code, sizeof code);
    mprotect(generated, sizeof code, PROT_READ | PROT_EXEC);
    __builtin___clear_cache((char *)generated, (char *)generated + sizeof code);
    for (turn = 0; turn < 4; turn++)
        ((void (*)(int (*)(void *), void *))generated)(barrier, self);
}

int main(int argc, char **argv)
{
    int step;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    wait_for_late();
    for (step = 0; step < 7; step++)
        exchange(step);
    inlined_barrier();
    inlined_barrier();
#ifdef OVER_LIBRARY
    if (rank == 0)
        send_from_library(&step, 1);
    else if (rank == 1)
        MPI_Recv(&step, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    if (argc > 1 && strcmp(argv[1], "many") == 0)
        call_from_many_places();
    if (argc > 4 && strcmp(argv[1], "turns") == 0)
        call_in_turns(argv + 2);
    if (argc > 1 && strcmp(argv[1], "kill") == 0) {
        if (rank == 0) {
            usleep(300000);
            kill(getpid(), SIGKILL);
        }
        MPI_Barrier(MPI_COMM_WORLD); /* site: killed */
    }
    MPI_Finalize();
    return 0;
}
#endif
#endif
