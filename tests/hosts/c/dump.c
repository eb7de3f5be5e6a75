/* Writes all metadata and values of an MPI library's variables and categories to a file, before and after MPI_Init.
 *
 *     dump FILE [late]       (1 process)
 *
 * One line per entry, with fields `field=value` separated by tabs. With `late`, MPI_T is not used before MPI_Init. An entry
 * whose query fails has a line with the error code only.
 *
 * Strings are queried three times: the length alone (`_need`), the whole string (with `_len`), and into a buffer of four bytes
 * (`_cut`, `_cut_len`). Constants such as classes are those of the header that the program is compiled with. */
#include "metadata.h"

enum { CUT = 4 };

static const char *moment;

/* The results of the three queries of a name or a description. */
struct answer {
    char text[CAPACITY], cut[CUT + 1];
    int need, length, cut_length;
};

static void put_answer(const char *field, const struct answer *answer)
{
    char label[40];
    put_text(field, answer->text);
    snprintf(label, sizeof label, "%s_len", field);
    put_number(label, answer->length);
    snprintf(label, sizeof label, "%s_need", field);
    put_number(label, answer->need);
    snprintf(label, sizeof label, "%s_cut", field);
    put_text(label, answer->cut);
    snprintf(label, sizeof label, "%s_cut_len", field);
    put_number(label, answer->cut_length);
}

enum query { LENGTHS, WHOLE, SHORT, QUERIES };

/* Prepares the buffer for one of the queries; returns the buffer and the length to pass. */
static char *prepare(struct answer *answer, enum query query, int **length)
{
    switch (query) {
    case LENGTHS:
        answer->need = 0;
        *length = &answer->need;
        return NULL;
    case WHOLE:
        memset(answer->text, 0, sizeof answer->text);
        answer->length = CAPACITY;
        *length = &answer->length;
        return answer->text;
    default:
        memset(answer->cut, 0, sizeof answer->cut);
        answer->cut_length = CUT;
        *length = &answer->cut_length;
        return answer->cut;
    }
}

static struct answer name, desc;

static int begin(const char *kind, int index, int rc)
{
    fprintf(file, "%s\tmoment=%s\tindex=%d\trc=%d", kind, moment, index, rc);
    if (rc != MPI_SUCCESS) {
        fputc('\n', file);
        return 0;
    }
    put_answer("name", &name);
    put_answer("desc", &desc);
    return 1;
}

/* Writes the results of the query of an index by name. */
static void end(int rc, int found)
{
    put_number("find_rc", rc);
    put_number("find", found);
    fputc('\n', file);
}

/* Proves F12, F13, F14. */
static void dump_pvar(int index)
{
    int verbosity = -1, class = -1, bind = -1, readonly = -1, continuous = -1, atomic = -1, found = -1;
    int rc = MPI_SUCCESS, *name_length, *desc_length;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum values = MPI_T_ENUM_NULL;

    for (enum query query = 0; query < QUERIES && rc == MPI_SUCCESS; query++) {
        char *name_buffer = prepare(&name, query, &name_length), *desc_buffer = prepare(&desc, query, &desc_length);
        rc = MPI_T_pvar_get_info(index, name_buffer, name_length, &verbosity, &class, &type, &values, desc_buffer,
                                 desc_length, &bind, &readonly, &continuous, &atomic);
    }
    if (!begin("pvar", index, rc))
        return;
    put_number("verbosity", verbosity);
    put_number("class", class);
    put_type(type);
    put_number("bind", bind);
    put_number("readonly", readonly);
    put_number("continuous", continuous);
    put_number("atomic", atomic);
    put_enum(values);
    const int find_rc = MPI_T_pvar_get_index(name.text, class, &found);
    end(find_rc, found);
}

/* Proves F5, F6, F7. */
static void dump_cvar(int index)
{
    int verbosity = -1, bind = -1, scope = -1, found = -1, rc = MPI_SUCCESS, *name_length, *desc_length;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum values = MPI_T_ENUM_NULL;

    for (enum query query = 0; query < QUERIES && rc == MPI_SUCCESS; query++) {
        char *name_buffer = prepare(&name, query, &name_length), *desc_buffer = prepare(&desc, query, &desc_length);
        rc = MPI_T_cvar_get_info(index, name_buffer, name_length, &verbosity, &type, &values, desc_buffer, desc_length,
                                 &bind, &scope);
    }
    if (!begin("cvar", index, rc))
        return;
    put_number("verbosity", verbosity);
    put_type(type);
    put_number("bind", bind);
    put_number("scope", scope);
    put_enum(values);
    const int find_rc = MPI_T_cvar_get_index(name.text, &found);
    end(find_rc, found);
}

static void put_members(const char *field, int (*get)(int, int, int[]), int category, int count)
{
    int *members = calloc((size_t)count + 1, sizeof *members);
    int rc = get(category, count, members);
    fprintf(file, "\t%s_rc=%d\t%s=", field, rc, field);
    for (int i = 0; i < count && rc == MPI_SUCCESS; i++)
        fprintf(file, i ? ",%d" : "%d", members[i]);
    free(members);
}

/* Proves F46, F47, F49, F50, F51, F53. */
static void dump_category(int index)
{
    int cvars = -1, pvars = -1, categories = -1, found = -1, rc = MPI_SUCCESS, *name_length, *desc_length;

    for (enum query query = 0; query < QUERIES && rc == MPI_SUCCESS; query++) {
        char *name_buffer = prepare(&name, query, &name_length), *desc_buffer = prepare(&desc, query, &desc_length);
        rc = MPI_T_category_get_info(index, name_buffer, name_length, desc_buffer, desc_length, &cvars, &pvars, &categories);
    }
    if (!begin("category", index, rc))
        return;
    put_number("num_cvars", cvars);
    put_number("num_pvars", pvars);
    put_number("num_categories", categories);
    put_members("cvars", MPI_T_category_get_cvars, index, cvars);
    put_members("pvars", MPI_T_category_get_pvars, index, pvars);
    put_members("categories", MPI_T_category_get_categories, index, categories);
    const int find_rc = MPI_T_category_get_index(name.text, &found);
    end(find_rc, found);
}

static void dump_all(const char *when)
{
    int count;
    moment = when;
    if (MPI_T_pvar_get_num(&count) == MPI_SUCCESS)
        for (int i = 0; i < count; i++)
            dump_pvar(i);
    if (MPI_T_cvar_get_num(&count) == MPI_SUCCESS)
        for (int i = 0; i < count; i++)
            dump_cvar(i);
    if (MPI_T_category_get_num(&count) == MPI_SUCCESS)
        for (int i = 0; i < count; i++)
            dump_category(i);
}

int main(int argc, char **argv)
{
    int provided;
    const int late = argc > 2 && strcmp(argv[2], "late") == 0;

    file = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (!file) {
        fprintf(stderr, "dump: needs a file to write to\n");
        return EXIT_FAILURE;
    }
    if (!late) {
        if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
            return EXIT_FAILURE;
        dump_all("before");
    }
    MPI_Init(&argc, &argv);
    if (late && MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return EXIT_FAILURE;
    dump_all("after");
    MPI_T_finalize();
    MPI_Finalize();
    return fclose(file) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
