/* mpit_own.h: included where MPICH defines a function of MPI_T, which gets another name, and no second one. */
#include <mpit_core_own.h>
#undef HAVE_PRAGMA_WEAK
#undef HAVE_WEAK_ATTRIBUTE
