/* The objects of the calls of bad_calls.c: variables, events and so on, of mpit and of the host, with their handles. */
#ifndef BAD_CALLS_SUBJECTS_H
#define BAD_CALLS_SUBJECTS_H

#include "bad_calls_table.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 8192, SUBJECTS = 24, KNOWN = 4096 };

struct subject {
    enum about about;
    const char *label;
    int host;    /* The host's: it determines the values and the results of valid calls. */
    int present; /* If false, all members below are 0. */
    int index, bound, bytes, element, elements, class, scope, readonly, continuous, atomic;
    word session, other_session, ended_session, handle, of_other_session, ended_handle, enumeration;
    char name[CAPACITY];
    int name_length, desc_length, members[4];
    unsigned char value[CAPACITY];
    int has_value;
};

static struct subject subjects[SUBJECTS];
static int subject_count;
static int sizes[CATEGORIES + 1]; /* The number of entries in each index space. */
static int mpi_is_up;             /* True if info objects can be created. */
static int has_communicators;     /* True if an object to bind to exists. */

/* All handles so far, so that an invented handle differs from all of them. */
static word known[KNOWN];
static int known_count;

static word remember(word handle)
{
    if (handle && known_count < KNOWN)
        known[known_count++] = handle;
    return handle;
}

static int is_known(word handle)
{
    for (int i = 0; i < known_count; i++)
        if (known[i] == handle)
            return 1;
    return 0;
}

static void *address_of(const char *name)
{
    for (int i = 0; i < FUNCTIONS; i++)
        if (!strcmp(functions[i].name, name))
            return functions[i].address;
    return NULL;
}

/* Calls a function that the host may lack; fails in that case. */
static int call_named(const char *name, word a, word b, word c, word d, word e)
{
    void *function = address_of(name);
    return function ? call(function, (word[ARGUMENTS]){a, b, c, d, e}) : MPI_T_ERR_INVALID;
}

#define WORD(pointer) ((word)(uintptr_t)(pointer))

static word info_null(void)
{
    MPI_Info info = MPI_INFO_NULL;
    word as_word = 0;
    memcpy(&as_word, &info, sizeof info);
    return as_word;
}

static void on_event(void)
{
}

static word new_registration_of(const struct subject *s)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    word made = 0;
    if (call_named("event_handle_alloc", s->index, WORD(&comm), info_null(), WORD(&made), 0))
        return 0;
    call_named("event_register_callback", made, NONE_SAFE, info_null(), 0, WORD(on_event));
    return remember(made);
}

/* A new handle of the subject's variable, or a registration for its event; 0 if there is none. */
static word new_handle_of(const struct subject *s, word session)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_T_cvar_handle cvar;
    MPI_T_pvar_handle pvar;
    int count;
    if (s->bound && !has_communicators)
        return 0;
    if (s->about == CVARS)
        return MPI_T_cvar_handle_alloc(s->index, &comm, &cvar, &count) ? 0 : remember(WORD(cvar));
    if (s->about == PVARS)
        return MPI_T_pvar_handle_alloc((MPI_T_pvar_session)(uintptr_t)session, s->index, &comm, &pvar, &count)
                   ? 0 : remember(WORD(pvar));
    return s->about == EVENTS ? new_registration_of(s) : 0;
}

static void end_handle_of(const struct subject *s, word session, word handle)
{
    MPI_T_cvar_handle cvar = (MPI_T_cvar_handle)(uintptr_t)handle;
    MPI_T_pvar_handle pvar = (MPI_T_pvar_handle)(uintptr_t)handle;
    if (s->about == CVARS)
        MPI_T_cvar_handle_free(&cvar);
    if (s->about == PVARS)
        MPI_T_pvar_handle_free((MPI_T_pvar_session)(uintptr_t)session, &pvar);
    if (s->about == EVENTS)
        call_named("event_handle_free", handle, 0, 0, 0, 0);
}

static word new_session_of_ours(void)
{
    MPI_T_pvar_session session;
    return MPI_T_pvar_session_create(&session) ? 0 : remember(WORD(session));
}

static void end_session(word session)
{
    MPI_T_pvar_session ended = (MPI_T_pvar_session)(uintptr_t)session;
    MPI_T_pvar_session_free(&ended);
}

static struct subject *add_subject(enum about about, const char *label, int host, int index)
{
    struct subject *s = &subjects[subject_count < SUBJECTS - 1 ? subject_count++ : SUBJECTS - 1];
    memset(s, 0, sizeof *s);
    s->about = about;
    s->label = label;
    s->host = host;
    s->present = 1;
    s->index = index;
    s->name_length = s->desc_length = CAPACITY;
    return s;
}

/* An invalid subject: its index, for example, is invalid. */
static void add_missing(enum about about, const char *label)
{
    memset(add_subject(about, label, 0, 0), 0, sizeof *subjects);
    subjects[subject_count - 1].about = about;
    subjects[subject_count - 1].label = label;
}

static int type_size(MPI_Datatype type)
{
    if (type == MPI_CHAR)
        return 1;
    if (type == MPI_INT || type == MPI_UNSIGNED || type == MPI_INT32_T || type == MPI_UINT32_T)
        return 4;
    return 8;
}

/* The handles of a variable: a valid one, a freed one, and for performance variables one of another session. */
static void make_handles(struct subject *s, word session, word other_session)
{
    s->session = session;
    s->other_session = other_session;
    if (s->about == PVARS)
        end_session(s->ended_session = new_session_of_ours());
    word ended = new_handle_of(s, session);
    if (!ended)
        return;
    /* The last handle may reuse the memory of the freed one. */
    end_handle_of(s, session, ended);
    s->ended_handle = ended;
    s->handle = new_handle_of(s, session);
    s->of_other_session = s->about == PVARS ? new_handle_of(s, other_session) : 0;
}

static struct subject *add_cvar(const char *label, int host, int index)
{
    struct subject *s = add_subject(CVARS, label, host, index);
    char desc[CAPACITY];
    MPI_Datatype type = MPI_INT;
    int count = 1;
    MPI_T_cvar_handle handle;
    if (MPI_T_cvar_get_info(index, s->name, &s->name_length, NULL, &type, NULL, desc, &s->desc_length, NULL, &s->scope)
        || MPI_T_cvar_handle_alloc(index, NULL, &handle, &count))
        return s;
    MPI_T_cvar_handle_free(&handle);
    s->element = type_size(type); /* Events have no handles of this kind; the data is laid out as in the event's struct. */
    s->bytes = count * s->element;
    make_handles(s, 0, 0);
    s->has_value = !host && s->bytes <= CAPACITY && s->handle
                   && !MPI_T_cvar_read((MPI_T_cvar_handle)(uintptr_t)s->handle, s->value);
    return s;
}

static struct subject *add_pvar(const char *label, int host, int index, word session, word other_session)
{
    struct subject *s = add_subject(PVARS, label, host, index);
    char desc[CAPACITY];
    MPI_Datatype type = MPI_INT;
    MPI_T_pvar_handle handle;
    MPI_Comm comm = MPI_COMM_WORLD;
    int bind = 0, count = 1;
    MPI_T_pvar_get_info(index, s->name, &s->name_length, NULL, &s->class, &type, NULL, desc, &s->desc_length, &bind,
                        &s->readonly, &s->continuous, &s->atomic);
    s->bound = bind != MPI_T_BIND_NO_OBJECT;
    MPI_T_pvar_session in = (MPI_T_pvar_session)(uintptr_t)session;
    if ((!s->bound || has_communicators) && !MPI_T_pvar_handle_alloc(in, index, &comm, &handle, &count))
        MPI_T_pvar_handle_free(in, &handle);
    s->element = type_size(type);
    s->bytes = count * s->element;
    make_handles(s, session, other_session);
    s->has_value = !host && s->bytes <= CAPACITY && s->handle
                   && !MPI_T_pvar_read(in, (MPI_T_pvar_handle)(uintptr_t)s->handle, s->value);
    return s;
}

static void add_enum(word enumeration)
{
    struct subject *s = add_subject(ENUMS, "enumeration", 0, 0);
    MPI_T_enum values = (MPI_T_enum)(uintptr_t)enumeration;
    char text[CAPACITY];
    int value;
    s->enumeration = enumeration;
    MPI_T_enum_get_info(values, &s->elements, s->name, &s->name_length);
    MPI_T_enum_get_item(values, 0, &value, text, &s->desc_length);
}

static void add_category(int index)
{
    struct subject *s = add_subject(CATEGORIES, "category", 0, index);
    char desc[CAPACITY];
    MPI_T_category_get_info(index, s->name, &s->name_length, desc, &s->desc_length, &s->members[0], &s->members[1],
                            &s->members[3]);
    call_named("category_get_num_events", index, WORD(&s->members[2]), 0, 0, 0);
}

static void add_source(int index)
{
    struct subject *s = add_subject(SOURCES, "source", 0, index);
    char desc[CAPACITY];
    void *get_info = address_of("source_get_info");
    call(get_info, (word[ARGUMENTS]){index, WORD(s->name), WORD(&s->name_length), WORD(desc), WORD(&s->desc_length)});
}

/* The tools interface is that of the MPI library, with nothing in front of it. */
static int alone;

/* The last event that is unbound or bound to a communicator, for which objects exist. */
static int last_event(void)
{
    int last = 0, bind;
    for (int index = 0; index < sizes[EVENTS]; index++) {
        int length = 0, elements = 0, desc_length = 0;
        bind = MPI_T_BIND_MPI_WIN;
        call(address_of("event_get_info"), (word[ARGUMENTS]){index, 0, WORD(&length), 0, 0, 0, WORD(&elements), 0, 0, 0,
                                                             WORD(&desc_length), WORD(&bind)});
        if (bind == MPI_T_BIND_NO_OBJECT || bind == MPI_T_BIND_MPI_COMM)
            last = index;
    }
    return last;
}

static void add_event(int index)
{
    struct subject *s = add_subject(EVENTS, "event", 0, index);
    char desc[CAPACITY];
    MPI_Datatype members[64];
    MPI_Aint places[64] = {0};
    int bind = MPI_T_BIND_NO_OBJECT;
    s->elements = 64;
    call(address_of("event_get_info"),
         (word[ARGUMENTS]){index, WORD(s->name), WORD(&s->name_length), 0, WORD(members), WORD(places),
                           WORD(&s->elements), 0, 0, WORD(desc), WORD(&s->desc_length), WORD(&bind)});
    s->bound = bind != MPI_T_BIND_NO_OBJECT;
    s->host = !alone && !strncmp(s->name, "minimal_", 8);
    if (s->elements > 0 && s->elements <= 64)
        s->bytes = (int)places[s->elements - 1] + type_size(members[s->elements - 1]);
    make_handles(s, 0, 0);
}

#endif
