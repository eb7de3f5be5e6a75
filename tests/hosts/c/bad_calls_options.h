/* Arguments of each kind for bad_calls.c: first the valid one, then all invalid ones, each with the expected code. */
#ifndef BAD_CALLS_OPTIONS_H
#define BAD_CALLS_OPTIONS_H

#include "bad_calls_subjects.h"

/* The order in which arguments are checked: of several invalid ones, the earliest stage determines the code. */
enum stage { POINTER = 1, SESSION, HANDLE, INDEX, OBJECT, MEANING, RIGHT };

struct option {
    const char *label;
    enum stage stage;
    int codes;        /* The expected code, unless the stage is RIGHT. */
    word value;       /* The value, passed directly or in memory. */
    const void *from; /* The contents of memory instead of `value`. */
    int in_memory;    /* True if an address of memory is passed. */
    int length;       /* The size of the contents. */
    int writable;         /* The number of bytes that the function may write. */
    int offset;       /* The offset in memory: not 0 for an unaligned address. */
    int fresh;        /* The value is created for each call, because the call frees it. */
};

enum { OPTIONS = 24 };

struct options {
    struct option all[OPTIONS];
    int count;
};

static word on_the_stack; /* The address of a variable of main. */

static struct option *add(struct options *to, const char *label, enum stage stage, int set, word value)
{
    struct option *option = &to->all[to->count < OPTIONS - 1 ? to->count++ : OPTIONS - 1];
    *option = (struct option){.label = label, .stage = stage, .codes = set, .value = value};
    return option;
}

static struct option *add_at(struct options *to, const char *label, enum stage stage, int set, word value, int length,
                             int writable)
{
    struct option *option = add(to, label, stage, set, value);
    option->in_memory = 1;
    option->length = length;
    option->writable = writable;
    return option;
}

/* Adds an unaligned copy of the previous option, as callers with packed structs pass it. */
static void add_misaligned(struct options *to)
{
    const int last = to->count - 1;
    struct option *option = add(to, "", RIGHT, 0, 0);
    *option = to->all[last];
    option->label = "misaligned";
    option->offset = 1;
}

/* Values of mpit's variables need a valid address, unless the call is refused because of the variable. Hosts may
 * return other codes. */
static void add_misaligned_value(struct options *to, const struct subject *s)
{
    add_misaligned(to);
    if (!s->host && s->element > 1) {
        to->all[to->count - 1].stage = MEANING;
        to->all[to->count - 1].codes = s->atomic ? INVALID : INVALID | NO_ATOMIC;
    }
}

/* Proves R10, R28: null, where it is invalid. */
static void add_null(struct options *to)
{
    add(to, "NULL", POINTER, INVALID, 0);
}

/* Proves R13, R70, R292. */
static void add_indices(struct options *to, int good, int present, int n)
{
    if (present)
        add(to, "good", RIGHT, 0, (word)good);
    add(to, "N", INDEX, INVALID_INDEX, (word)n);
    add(to, "N + 1", INDEX, INVALID_INDEX, (word)n + 1);
    add(to, "-1", INDEX, INVALID_INDEX, (word)-1);
    add(to, "INT_MIN", INDEX, INVALID_INDEX, (word)INT_MIN);
    add(to, "INT_MAX", INDEX, INVALID_INDEX, (word)INT_MAX);
}

/* Proves R92, R146, R148, R173, R257, R288: by value, or by address if `writable` is not 0. */
static void add_handles(struct options *to, enum stage stage, word good, word ended, word others, int at)
{
    const word all_handles = WORD(MPI_T_PVAR_ALL_HANDLES);
    const int set = stage == SESSION ? INVALID_SESSION : INVALID_HANDLE;
    word beside = good ? good : 0x1000;
    do
        beside++;
    while (is_known(beside));
    const struct {
        const char *label;
        word value;
    } bad[] = {
        {"null", 0},
        {"freed", ended},
        {"another's", others},
        {"id + 1", beside},
        {"another generation", good ^ (word)2 << 32},
        {"random", 0x9e3779b97f4a7c15},
        {"random and of the right kind", (good & (word)0xff << 56) | 0x00517cc1b7272200},
        {"on the stack", on_the_stack},
        {"ALL_HANDLES", all_handles},
        {"all bits", ~(word)0},
    };
    if (good)
        add_at(to, "good", RIGHT, 0, good, 8, 8)->in_memory = at;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (i == 0 || (bad[i].value != 0 && bad[i].value != good))
            add_at(to, bad[i].label, stage, set, bad[i].value, 8, 8)->in_memory = at;
}

/* A handle that a successful call frees: created for each call. */
static void make_fresh(struct options *to)
{
    if (to->all[0].stage == RIGHT)
        to->all[0].fresh = 1;
}

/* Proves R163, R179: these accept all handles of a session at once. Hosts may return other codes. */
static void allow_all_handles(struct options *to, const struct subject *s, int refusal)
{
    for (int i = 0; i < to->count; i++)
        if (to->all[i].value == WORD(MPI_T_PVAR_ALL_HANDLES)) {
            to->all[i].stage = MEANING;
            to->all[i].codes = s->host ? OK | refusal : OK;
        }
}

/* Proves R38: R38 to R44, the length of a buffer. */
static void add_lengths(struct options *to, int length)
{
    const int full = length > 0 ? length : 1; /* Also if there is no string. */
    add_at(to, "full", RIGHT, 0, (word)full, 4, 4);
    add_misaligned(to);
    add(to, "NULL", RIGHT, 0, 0);
    add_at(to, "-1", POINTER, INVALID, (word)-1, 4, 4);
    add_at(to, "INT_MIN", POINTER, INVALID, (word)INT_MIN, 4, 4);
    add_at(to, "0", RIGHT, 0, 0, 4, 4);
    add_at(to, "1", RIGHT, 0, 1, 4, 4);
    add_at(to, "one short", RIGHT, 0, (word)full - 1, 4, 4);
    add_at(to, "one more", RIGHT, 0, (word)full + 1, 4, 4);
}

/* Proves R85: unknown names. */
static void add_names(struct options *to, const struct subject *s)
{
    static char shorter[CAPACITY], longer[CAPACITY + 1], other_case[CAPACITY];
    const char *const bad[] = {"no_such_thing", "", shorter, longer, other_case, "\xff\xfe"};
    snprintf(shorter, sizeof shorter, "%.*s", (int)strlen(s->name) - 1, s->name);
    snprintf(longer, sizeof longer, "%s ", s->name);
    snprintf(other_case, sizeof other_case, "%s", s->name);
    other_case[0] ^= 0x20;
    for (int i = s->name[0] ? -1 : 0; i < (s->name[0] ? 6 : 2); i++) {
        const char *name = i < 0 ? s->name : bad[i];
        struct option *option = add_at(to, i < 0 ? "good" : name, i < 0 ? RIGHT : MEANING, INVALID_NAME, 0, 0, 0);
        option->from = name;
        option->length = (int)strlen(name) + 1;
    }
    add_null(to);
}

/* Proves R87, R88: an object, for entries bound to a communicator and for unbound ones. */
static void add_objects(struct options *to, const struct subject *s)
{
    const MPI_Comm comms[] = {MPI_COMM_WORLD, MPI_COMM_NULL};
    word values[2] = {0, 0};
    memcpy(&values[0], &comms[0], sizeof(MPI_Comm));
    memcpy(&values[1], &comms[1], sizeof(MPI_Comm));
    if (!s->bound) {
        add(to, "NULL", RIGHT, 0, 0);
        add(to, "wild", RIGHT, 0, 8);
        return;
    }
    if (has_communicators)
        add_at(to, "good", RIGHT, 0, values[0], sizeof(MPI_Comm), 0);
    add_at(to, "null communicator", OBJECT, INVALID_HANDLE, values[1], sizeof(MPI_Comm), 0);
    add(to, "NULL", OBJECT, INVALID_HANDLE, 0);
}

/* Proves R57, R267: safety levels. Only one has a callback. */
static void add_levels(struct options *to, int in_use)
{
    const enum stage stage = in_use ? MEANING : RIGHT;
    add(to, "NONE", RIGHT, 0, NONE_SAFE);
    add(to, "MPI_RESTRICTED", stage, INVALID, RESTRICTED);
    add(to, "THREAD_SAFE", stage, INVALID, THREAD_SAFE);
    add(to, "ASYNC_SIGNAL_SAFE", stage, INVALID, SIGNAL_SAFE);
    add(to, "-1", MEANING, INVALID, (word)-1);
    add(to, "12345", MEANING, INVALID, 12345);
    add(to, "INT_MAX", MEANING, INVALID, INT_MAX);
}

/* Proves R27: thread levels. */
static void add_required(struct options *to)
{
    add(to, "SINGLE", RIGHT, 0, MPI_THREAD_SINGLE);
    add(to, "MULTIPLE", RIGHT, 0, MPI_THREAD_MULTIPLE);
    add(to, "-1", MEANING, INVALID, (word)-1);
    add(to, "12345", MEANING, INVALID, 12345);
    add(to, "INT_MIN", MEANING, INVALID, (word)INT_MIN);
}

/* Invalid info objects. Other invalid values cannot be distinguished from valid ones. */
static void add_infos(struct options *to)
{
    add(to, "MPI_INFO_NULL", RIGHT, 0, info_null());
    add(to, "0", MEANING, INVALID, 0);
    add(to, "77", MEANING, INVALID, 77);
    add(to, "4095", MEANING, INVALID, 4095);
}

/* The address for a new info object: some libraries cannot create any before MPI is initialized. */
static void add_info_place(struct options *to)
{
    add_at(to, "good", mpi_is_up ? RIGHT : MEANING, OK | NOT_ACCESSIBLE, 0, 0, 8);
}

/* Proves R204. */
static void add_list_lengths(struct options *to, int n)
{
    add(to, "N", RIGHT, 0, (word)n);
    add(to, "-1", POINTER, INVALID, (word)-1);
    add(to, "INT_MIN", POINTER, INVALID, (word)INT_MIN);
    add(to, "0", RIGHT, 0, 0);
    if (n > 1)
        add(to, "1", RIGHT, 0, 1);
    if (n > 2)
        add(to, "one short", RIGHT, 0, (word)n - 1);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void add_counts_of_elements(struct options *to, int n)
{
    add_at(to, "N", RIGHT, 0, (word)n, 4, 4);
    add(to, "NULL", RIGHT, 0, 0);
    add_at(to, "-1", POINTER, INVALID, (word)-1, 4, 4);
    add_at(to, "0", RIGHT, 0, 0, 4, 4);
    add_at(to, "1", RIGHT, 0, 1, 4, 4);
    add_at(to, "one short", RIGHT, 0, n > 0 ? (word)n - 1 : 0, 4, 4);
}

static int members_of(const struct function *f, const struct subject *s)
{
    const char *const lists[] = {"category_get_cvars", "category_get_pvars", "category_get_events"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(f->name, lists[i]))
            return least(s->members[i], CAPACITY / 4);
    return least(s->members[3], CAPACITY / 4);
}

static void options_of(struct options *to, const struct function *f, const struct subject *s, int at)
{
    const int n = s->about == ENUMS || s->about == INSTANCES ? s->elements : sizes[s->about];
    to->count = 0;
    switch (f->kinds[at]) {
    case an_index: case an_item: case an_element: add_indices(to, s->index, s->present, n); break;
    case required: add_required(to); break;
    case a_class:
        add(to, "good", RIGHT, 0, (word)s->class);
        add(to, "-1", MEANING, INVALID_NAME, (word)-1); /* Proves R136. */
        add(to, "12345", MEANING, INVALID_NAME, 12345);
        break;
    case a_level: case level_in_use: add_levels(to, f->kinds[at] == level_in_use); break;
    case a_session: case session_at:
        add_handles(to, SESSION, s->session, s->ended_session, s->handle, f->kinds[at] == session_at);
        if (f->kinds[at] == session_at)
            make_fresh(to);
        break;
    case a_pvar:
        add_handles(to, HANDLE, s->handle, s->ended_handle, s->of_other_session, 0);
        if (!strcmp(f->name, "pvar_start") || !strcmp(f->name, "pvar_stop"))
            allow_all_handles(to, s, NO_STARTSTOP);
        if (!strcmp(f->name, "pvar_reset"))
            allow_all_handles(to, s, NO_WRITE);
        break;
    case a_cvar: case a_registration: add_handles(to, HANDLE, s->handle, s->ended_handle, s->session, 0); break;
    case an_enum: add_handles(to, HANDLE, s->enumeration, 0, 0, 0); break;
    case an_instance: add_handles(to, HANDLE, s->handle, s->ended_handle, 0, 0); break;
    case pvar_at: case cvar_at:
        add_handles(to, HANDLE, s->handle, s->ended_handle, s->of_other_session, 1);
        make_fresh(to);
        break;
    case ended_registration:
        add_handles(to, HANDLE, s->handle, s->ended_handle, 0, 0);
        make_fresh(to);
        break;
    case new_session: case new_pvar: case new_cvar: case new_registration: case out_long:
        add_at(to, "good", RIGHT, 0, 0, 0, 8);
        add_misaligned(to);
        add_null(to);
        break;
    case out_int:
        add_at(to, "good", RIGHT, 0, 0, 0, 4);
        add_misaligned(to);
        add_null(to);
        break;
    case out_info: add_info_place(to); add_null(to); break;
    case may_int: case may_long:
        add_at(to, "good", RIGHT, 0, 0, 0, f->kinds[at] == may_int ? 4 : 8);
        add_misaligned(to);
        add(to, "NULL", RIGHT, 0, 0);
        break;
    case may_info: add(to, "NULL", RIGHT, 0, 0); add_info_place(to); break;
    case name_text: case desc_text: case types: case displacements:
        add_at(to, "good", RIGHT, 0, 0, 0, 0); /* The length argument is its size. */
        add_misaligned(to);
        add(to, "NULL", RIGHT, 0, 0);
        break;
    case name_length: add_lengths(to, s->name_length); break;
    case desc_length: add_lengths(to, s->desc_length); break;
    case elements: add_counts_of_elements(to, s->elements); break;
    case a_name: add_names(to, s); break;
    case an_object: add_objects(to, s); break;
    case an_info: add_infos(to); break;
    case out_value: add_at(to, "good", RIGHT, 0, 0, 0, least(s->bytes, CAPACITY)); add_misaligned_value(to, s); add_null(to); break;
    case in_value: {
        struct option *good = add_at(to, "good", RIGHT, 0, 0, s->has_value ? least(s->bytes, CAPACITY) : 0, 0);
        good->from = s->value;
        add_misaligned_value(to, s);
        add_null(to);
        break;
    }
    case a_length: add_list_lengths(to, members_of(f, s)); break;
    case a_list: add_at(to, "good", RIGHT, 0, 0, 0, 0); add_misaligned(to); add(to, "NULL", POINTER, INVALID, 0); break;
    case callback: add(to, "good", RIGHT, 0, WORD(on_event)); add(to, "NULL", RIGHT, 0, 0); break;
    case data: add(to, "good", RIGHT, 0, on_the_stack); add(to, "NULL", RIGHT, 0, 0); break;
    case nothing: break;
    }
}

#endif
