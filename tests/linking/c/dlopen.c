/* Opens a shared library at run time and prints its definitions. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    /* POSIX's own way to make a function of what dlsym gives. */
    void (*print)(void) = NULL;
    if (library) *(void **)&print = dlsym(library, "linking_print");
    if (!print) {
        fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: dlopen LIBRARY");
        return 1;
    }
    print();
    return 0;
}
