/* Functions that callback_contracts.c defines in place of those of the library and of mpit. */
#ifndef CALLBACK_CONTRACTS_REPLACED_H
#define CALLBACK_CONTRACTS_REPLACED_H

#include "callback_contracts_texts.h"

#include <dlfcn.h>

/* Proves R305: mpit calls no function that a tool can replace, such as the functions below. */
static void check_caller(const void *address)
{
    Dl_info caller;
    if (dladdr(address, &caller) && caller.dli_fname && strstr(caller.dli_fname, "libmpit"))
        check(0, "called by mpit, though it could be replaced");
}

/* Proves R304, R306: functions that the program defines are called in place of mpit's, and all others as before. */
static int replaced, own_calls; /* Calls of the first two functions below, and the program's own calls among them. */

/* Defines a function that calls the one of the profiling interface; `calls` is added to their number. */
#define REPLACED(calls, name, parameters, arguments)  \
    int MPI_##name parameters                         \
    {                                                 \
        replaced += calls;                            \
        check_caller(__builtin_return_address(0));    \
        return PMPI_##name arguments;                 \
    }

REPLACED(1, T_category_get_num, (int *count), (count))
REPLACED(1, T_category_changed, (int *number), (number))
REPLACED(0, Comm_size, (MPI_Comm comm, int *count), (comm, count))
REPLACED(0, Comm_rank, (MPI_Comm comm, int *number), (comm, number))
REPLACED(0, Initialized, (int *flag), (flag))
REPLACED(0, Query_thread, (int *level), (level))
REPLACED(0, Info_create, (MPI_Info *info), (info))

static int categories(void)
{
    int count = -1;
    own_calls++;
    check(MPI_T_category_get_num(&count) == MPI_SUCCESS, "R304 the program's own function reaches ours");
    return count;
}

static int update_number(void)
{
    int number = -1;
    own_calls++;
    MPI_T_category_changed(&number);
    return number;
}

#endif
