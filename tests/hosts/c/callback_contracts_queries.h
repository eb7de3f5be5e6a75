/* Queries, and the buffers for their answers. */
#ifndef CALLBACK_CONTRACTS_QUERIES_H
#define CALLBACK_CONTRACTS_QUERIES_H

#include "callback_contracts_replaced.h"

/* Proves R53. */
static void check_codes(void)
{
    const int ours[] = {MPI_T_ERR_INVALID,          MPI_T_ERR_NOT_INITIALIZED, MPI_T_ERR_NOT_ACCESSIBLE,
                        MPI_T_ERR_NOT_SUPPORTED,    MPI_T_ERR_INVALID_INDEX,   MPI_T_ERR_INVALID_NAME,
                        MPI_T_ERR_INVALID_HANDLE,   MPI_T_ERR_INVALID_SESSION, MPI_T_ERR_CVAR_SET_NOT_NOW,
                        MPI_T_ERR_CVAR_SET_NEVER,   MPI_T_ERR_PVAR_NO_WRITE,   MPI_T_ERR_PVAR_NO_STARTSTOP,
                        MPI_T_ERR_PVAR_NO_ATOMIC,   MPI_T_ERR_OUT_OF_HANDLES,  MPI_T_ERR_OUT_OF_SESSIONS,
                        MPI_T_ERR_MEMORY,           MPI_T_ERR_CANNOT_INIT};
    const int of_mpi[] = {MPI_SUCCESS,      MPI_ERR_BUFFER,  MPI_ERR_COUNT,    MPI_ERR_TYPE,      MPI_ERR_TAG,
                          MPI_ERR_COMM,     MPI_ERR_RANK,    MPI_ERR_REQUEST,  MPI_ERR_ROOT,      MPI_ERR_GROUP,
                          MPI_ERR_OP,       MPI_ERR_TOPOLOGY, MPI_ERR_DIMS,    MPI_ERR_ARG,       MPI_ERR_UNKNOWN,
                          MPI_ERR_TRUNCATE, MPI_ERR_OTHER,   MPI_ERR_INTERN,   MPI_ERR_IN_STATUS, MPI_ERR_PENDING,
                          MPI_ERR_KEYVAL,   MPI_ERR_NO_MEM,  MPI_ERR_BASE,     MPI_ERR_INFO_KEY,  MPI_ERR_INFO_VALUE,
                          MPI_ERR_INFO,     MPI_ERR_SPAWN,   MPI_ERR_PORT,     MPI_ERR_SERVICE,   MPI_ERR_NAME,
                          MPI_ERR_WIN,      MPI_ERR_SIZE,    MPI_ERR_DISP,     MPI_ERR_LOCKTYPE,  MPI_ERR_ASSERT,
                          MPI_ERR_FILE,     MPI_ERR_IO,      MPI_ERR_ACCESS,   MPI_ERR_AMODE,     MPI_ERR_LASTCODE};
    int count;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        for (size_t j = 0; j < sizeof of_mpi / sizeof *of_mpi; j++)
            check(ours[i] != of_mpi[j], "R53 a code of MPI's own");
    /* Checks that mpit's constants are those of the header. */
    check(MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID_INDEX
              && MPI_T_pvar_get_num(NULL) == MPI_T_ERR_INVALID && MPI_T_pvar_get_num(&count) == MPI_SUCCESS,
          "R53 codes of the header");
}

/* Proves R80, R129, R196, R233: all outputs are null. */
/* Proves R83, R106, C30: values are constants of the library's header. */
static void check_queries(void)
{
    int cvars, pvars, events, index;
    MPI_T_cvar_get_num(&cvars);
    MPI_T_pvar_get_num(&pvars);
    MPI_T_event_get_num(&events);
    for (index = 0; index < cvars; index++) {
        int verbosity, bind, scope;
        int code = MPI_T_cvar_get_info(index, NULL, NULL, &verbosity, NULL, NULL, NULL, NULL, &bind, &scope);
        check(MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == code, "R80");
        if (code == MPI_SUCCESS)
            check(is_verbosity(verbosity) && is_bind(bind) && is_scope(scope), "R83 words of a control variable");
    }
    for (index = 0; index < pvars; index++) {
        int verbosity, bind, class;
        int code = MPI_T_pvar_get_info(index, NULL, NULL, &verbosity, &class, NULL, NULL, NULL, NULL, &bind, NULL,
                                       NULL, NULL);
        check(MPI_T_pvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
                  == code, "R129");
        if (code == MPI_SUCCESS)
            check(is_verbosity(verbosity) && is_bind(bind) && is_class(class), "R106 words of a performance variable");
    }
    for (index = 0; index < events; index++)
        check(MPI_T_event_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
                  == MPI_SUCCESS, "R233");
    for (index = categories() - 1; index >= 0; index--)
        check(MPI_T_category_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_SUCCESS, "R196");
}

/* Proves R47, R48. */
static void check_strings(void)
{
    static char name[CAPACITY], desc[CAPACITY];
    int pvars;
    MPI_T_pvar_get_num(&pvars);
    for (int index = 0; index < pvars; index++) {
        int name_need = 0, desc_need = 0, name_size = CAPACITY, desc_size = CAPACITY;
        if (MPI_T_pvar_get_info(index, NULL, &name_need, NULL, NULL, NULL, NULL, desc, &desc_size, NULL, NULL, NULL,
                                NULL) != MPI_SUCCESS)
            continue;
        check((int)strlen(desc) + 1 == desc_size && name_need > 1, "R47 the name measured, the description copied");
        MPI_T_pvar_get_info(index, name, &name_size, NULL, NULL, NULL, NULL, NULL, &desc_need, NULL, NULL, NULL, NULL);
        check((int)strlen(name) + 1 == name_size && desc_need == desc_size, "R47 and the other way round");
        memset(name, 'x', sizeof name);
        MPI_T_pvar_get_info(index, name, &name_need, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        check(name_need == name_size && (int)strlen(name) + 1 == name_need, "R48 the size that was reported");
    }
}

typedef int list_function(int, int, int[]);

/* Proves R202, R203. */
static void check_list(list_function *list, int category, int count)
{
    enum { MORE = 3 };
    int *whole = malloc((size_t)(count + MORE) * sizeof *whole), *part = malloc((size_t)(count + MORE) * sizeof *part);
    for (int i = 0; i < count + MORE; i++)
        whole[i] = part[i] = -77;
    check(list(category, count + MORE, whole) == MPI_SUCCESS, "R203 a longer list than needed");
    for (int i = 0; i < count + MORE; i++)
        check((whole[i] == -77) == (i >= count), "R203 what is behind the list stays");
    const int half = count / 2;
    check(list(category, half, part) == MPI_SUCCESS, "R202 too short a list");
    for (int i = 0; i < count + MORE; i++) {
        check((part[i] == -77) == (i >= half), "R202 as many as fit");
        for (int j = 0; j < i && i < half; j++)
            check(part[i] != part[j], "R202 all distinct");
    }
    free(whole);
    free(part);
}

static void check_lists(void)
{
    for (int index = categories() - 1; index >= 0; index--) {
        int cvars = 0, pvars = 0, inner = 0, events = 0;
        MPI_T_category_get_info(index, NULL, NULL, NULL, NULL, &cvars, &pvars, &inner);
        MPI_T_category_get_num_events(index, &events);
        check_list(MPI_T_category_get_cvars, index, cvars);
        check_list(MPI_T_category_get_pvars, index, pvars);
        check_list(MPI_T_category_get_categories, index, inner);
        check_list(MPI_T_category_get_events, index, events);
    }
}

#endif
