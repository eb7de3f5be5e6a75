/* Runs a program that is a shared object, with an MPI library that is not visible to the rest of the process. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int (*run)(int, char **);
    void *program = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : 0;
    if (!program) {
        fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "which program?");
        return 2;
    }
    *(void **)&run = dlsym(program, "main");
    return run ? run(argc - 1, argv + 1) : 3;
}
