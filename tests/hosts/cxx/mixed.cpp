// The calls of `c/mixed.c`, compiled as C++: with MPI's C interface, which is the one that C++ has.
#include "../c/mixed.c"
