/* All metadata of the tools interface as text, which callback_contracts.c compares. */
#ifndef CALLBACK_CONTRACTS_TEXTS_H
#define CALLBACK_CONTRACTS_TEXTS_H

#include "checks.h"
#include "metadata.h"

static int is_in(int number, const int *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (words[i] == number)
            return 1;
    return 0;
}

static int is_verbosity(int number)
{
    const int words[] = {MPI_T_VERBOSITY_USER_BASIC,   MPI_T_VERBOSITY_USER_DETAIL,  MPI_T_VERBOSITY_USER_ALL,
                         MPI_T_VERBOSITY_TUNER_BASIC,  MPI_T_VERBOSITY_TUNER_DETAIL, MPI_T_VERBOSITY_TUNER_ALL,
                         MPI_T_VERBOSITY_MPIDEV_BASIC, MPI_T_VERBOSITY_MPIDEV_DETAIL, MPI_T_VERBOSITY_MPIDEV_ALL};
    return is_in(number, words, sizeof words / sizeof *words);
}

static int is_bind(int number)
{
    const int words[] = {MPI_T_BIND_NO_OBJECT, MPI_T_BIND_MPI_COMM,    MPI_T_BIND_MPI_DATATYPE,
                         MPI_T_BIND_MPI_ERRHANDLER, MPI_T_BIND_MPI_FILE, MPI_T_BIND_MPI_GROUP,
                         MPI_T_BIND_MPI_OP,    MPI_T_BIND_MPI_REQUEST, MPI_T_BIND_MPI_WIN,
                         MPI_T_BIND_MPI_MESSAGE, MPI_T_BIND_MPI_INFO,
#ifdef MPI_T_BIND_MPI_SESSION
                         MPI_T_BIND_MPI_SESSION,
#endif
    };
    return is_in(number, words, sizeof words / sizeof *words);
}

static int is_scope(int number)
{
    const int words[] = {MPI_T_SCOPE_CONSTANT, MPI_T_SCOPE_READONLY, MPI_T_SCOPE_LOCAL, MPI_T_SCOPE_GROUP,
                         MPI_T_SCOPE_GROUP_EQ, MPI_T_SCOPE_ALL, MPI_T_SCOPE_ALL_EQ};
    return is_in(number, words, sizeof words / sizeof *words);
}

static int is_class(int number)
{
    const int words[] = {MPI_T_PVAR_CLASS_STATE,      MPI_T_PVAR_CLASS_LEVEL,        MPI_T_PVAR_CLASS_SIZE,
                         MPI_T_PVAR_CLASS_PERCENTAGE, MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_T_PVAR_CLASS_LOWWATERMARK,
                         MPI_T_PVAR_CLASS_COUNTER,    MPI_T_PVAR_CLASS_AGGREGATE,    MPI_T_PVAR_CLASS_TIMER,
                         MPI_T_PVAR_CLASS_GENERIC};
    return is_in(number, words, sizeof words / sizeof *words);
}

static char name[CAPACITY], desc[CAPACITY];
static int name_length, desc_length;

static void begin(const char *kind, int index, int with_index)
{
    fprintf(file, "%s\t%s\t", kind, name);
    if (with_index)
        fprintf(file, "%d\t", index);
    put_text("desc", desc);
}

static void describe_cvars(int with_index)
{
    int count = 0;
    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        int verbosity, bind, scope;
        MPI_Datatype type;
        MPI_T_enum values;
        name_length = desc_length = CAPACITY;
        if (MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &values, desc, &desc_length, &bind, &scope))
            continue;
        begin("cvar", i, with_index);
        fprintf(file, "\t%d %d %d", verbosity, bind, scope);
        put_type(type);
        put_enum(values);
        fputc('\n', file);
    }
}

static void describe_pvars(int with_index)
{
    int count = 0;
    MPI_T_pvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        int verbosity, class, bind, readonly, continuous, atomic;
        char kind[40];
        MPI_Datatype type;
        MPI_T_enum values;
        name_length = desc_length = CAPACITY;
        if (MPI_T_pvar_get_info(i, name, &name_length, &verbosity, &class, &type, &values, desc, &desc_length, &bind,
                                &readonly, &continuous, &atomic))
            continue;
        snprintf(kind, sizeof kind, "pvar of class %d", class);
        begin(kind, i, with_index);
        fprintf(file, "\t%d %d %d %d %d", verbosity, bind, readonly, continuous, atomic);
        put_type(type);
        put_enum(values);
        fputc('\n', file);
    }
}

/* Displacements may differ from process to process. */
static void describe_events(int with_index)
{
    int count = 0;
    MPI_T_event_get_num(&count);
    for (int i = 0; i < count; i++) {
        int verbosity, bind, elements = 64;
        MPI_Datatype types[64];
        MPI_T_enum values;
        name_length = desc_length = CAPACITY;
        if (MPI_T_event_get_info(i, name, &name_length, &verbosity, types, NULL, &elements, &values, NULL, desc,
                                 &desc_length, &bind))
            continue;
        begin("event", i, with_index);
        fprintf(file, "\t%d %d", verbosity, bind);
        for (int j = 0; j < elements && j < 64; j++)
            put_type(types[j]);
        put_enum(values);
        fputc('\n', file);
    }
}

/* Members only for mpit's categories: those of the host may grow. */
static void describe_categories(int with_index)
{
    int count = 0, members[64], pvars;
    PMPI_T_category_get_num(&count);
    for (int i = 0; i < count; i++) {
        name_length = desc_length = CAPACITY;
        if (MPI_T_category_get_info(i, name, &name_length, desc, &desc_length, NULL, &pvars, NULL))
            continue;
        begin("category", i, with_index);
        if (!strncmp(name, "pml_monitoring", 14) && pvars < 64 && !MPI_T_category_get_pvars(i, pvars, members))
            for (int j = 0; j < pvars; j++) {
                name_length = CAPACITY;
                MPI_T_pvar_get_info(members[j], name, &name_length, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                    NULL, NULL);
                fprintf(file, "\t%s", name);
            }
        fputc('\n', file);
    }
}

/* A line for each variable, event type and category, after a line end. The caller frees it. */
static char *describe(int with_index)
{
    char *text = NULL;
    size_t size;
    file = open_memstream(&text, &size);
    fputc('\n', file);
    describe_cvars(with_index);
    describe_pvars(with_index);
    describe_events(with_index);
    describe_categories(with_index);
    fclose(file);
    return text;
}

/* The next line of a text, with the line ends around it, in a buffer that is used again. */
static const char *next_line(const char **rest)
{
    static char *line;
    const char *end = strchr(*rest + 1, '\n');
    if (!end)
        return NULL;
    const size_t length = (size_t)(end - *rest) + 1;
    line = realloc(line, length + 1);
    memcpy(line, *rest, length);
    line[length] = 0;
    *rest = end;
    return line;
}

/* Finds a line by its beginning; searches first behind the line found before. */
static const char *find(const char *all, const char **behind, const char *line)
{
    const size_t length = strlen(line);
    const char *found = strncmp(*behind, line, length) ? strstr(all, line) : *behind;
    if (found) {
        const char *end = strchr(found + 1, '\n');
        *behind = end ? end : all;
    }
    return found;
}

/* Checks that each line of the first text is in the second. */
static void check_lines(const char *all, const char *other, const char *what)
{
    const char *line, *behind = other;
    while ((line = next_line(&all)))
        if (!find(other, &behind, line)) {
            printf("%s:%.200s\n", what, line);
            check(0, what);
        }
}

/* Checks that entries of one kind and name in both texts are equal; returns their number. */
static int compare(const char *mine, const char *other)
{
    static char key[CAPACITY];
    const char *line, *behind = other, *found;
    int count = 0;
    while ((line = next_line(&mine))) {
        const char *tab = strchr(strchr(line, '\t') + 1, '\t');
        snprintf(key, sizeof key, "%.*s", (int)(tab - line) + 1, line);
        if (!(found = find(other, &behind, key)))
            continue;
        count++;
        if (strncmp(found, line, strlen(line))) {
            printf("differs from process 0:%.200s\n", line);
            check(0, "R79, R105, R135, R215, R240, R311 one name, two things");
        }
    }
    return count;
}

/* The enumeration of the first variable or event type that has one. */
static MPI_T_enum any_enumeration(void)
{
    MPI_T_enum values = MPI_T_ENUM_NULL;
    int count = 0;
    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count && values == MPI_T_ENUM_NULL; i++)
        MPI_T_cvar_get_info(i, NULL, NULL, NULL, NULL, &values, NULL, NULL, NULL, NULL);
    MPI_T_event_get_num(&count);
    for (int i = 0; i < count && values == MPI_T_ENUM_NULL; i++)
        MPI_T_event_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, &values, NULL, NULL, NULL, NULL);
    return values;
}

static int is_enumeration(MPI_T_enum values)
{
    int items = 0, value;
    name_length = CAPACITY;
    return MPI_T_enum_get_info(values, &items, name, &name_length) == MPI_SUCCESS && items > 0 && name[0]
           && MPI_T_enum_get_item(values, items - 1, &value, NULL, NULL) == MPI_SUCCESS;
}

/* The description of mpit's GENERIC variable names its initial value. */
static void check_generic(void)
{
    int index = -1;
    desc_length = CAPACITY;
    MPI_T_pvar_get_index("pml_monitoring_flush", MPI_T_PVAR_CLASS_GENERIC, &index);
    MPI_T_pvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, desc, &desc_length, NULL, NULL, NULL, NULL);
    check(strstr(desc, "initially") != NULL, "R127 the initial value of pml_monitoring_flush");
}

#endif
