/* Execution of the calls of bad_calls.c, in memory that reveals each write. */
#ifndef BAD_CALLS_RUN_H
#define BAD_CALLS_RUN_H

#include "bad_calls_options.h"
#include <signal.h>
#include <unistd.h>

enum { CANARY = 0xa5, SMALL = 64, LINES = 60 };

static struct {
    long calls, wrong, absent;
} totals;

static int tools_are_up;

/* Memory that a call may write to, and its expected content afterwards. */
static _Alignas(16) unsigned char memory[ARGUMENTS][CAPACITY + 16], expected[ARGUMENTS][CAPACITY + 16];

/* The current call. */
static const struct function *function;
static const struct subject *subject;
static const struct option *chosen[ARGUMENTS];

static void describe(char *text, size_t size)
{
    int used = snprintf(text, size, "MPI_T_%s for %s", function->name, subject->label);
    for (int i = 0; i < ARGUMENTS && chosen[i] && used < (int)size; i++)
        used += snprintf(text + used, size - (size_t)used, "%s%s", i ? ", " : ": ", chosen[i]->label);
}

static void wrong(const char *what, const char *should)
{
    char text[1000];
    if (totals.wrong++ < LINES) {
        describe(text, sizeof text);
        printf("wrong: %s: %s, should be %s\n", text, what, should);
    }
}

static int is_big(enum kind kind)
{
    return kind == name_text || kind == desc_text || kind == types || kind == displacements || kind == a_name
           || kind == out_value || kind == in_value || kind == a_list;
}

static size_t slot_size(int at)
{
    return is_big(function->kinds[at]) ? CAPACITY + 16 : SMALL;
}

static unsigned char *place_of(int at)
{
    return memory[at] + chosen[at]->offset;
}

/* The length in memory of the buffer argument next to it. */
static int number_at(int at)
{
    return chosen[at]->in_memory && (int)chosen[at]->value > 0 ? (int)chosen[at]->value : 0;
}

/* Returns the number of bytes that a successful call may write for an argument. */
static int writable_bytes(int at)
{
    switch (function->kinds[at]) {
    case name_text: case desc_text: return number_at(at + 1);
    case types: return number_at(at + 2) * (int)sizeof(MPI_Datatype);
    case displacements: return number_at(at + 1) * (int)sizeof(MPI_Aint);
    case a_list: return 4 * (int)chosen[at - 1]->value;
    default: return chosen[at]->writable;
    }
}

static enum stage stage_of(int at)
{
    const enum kind kind = function->kinds[at];
    /* Proves R204: an empty list needs no memory. */
    const int unused = kind == a_list && (int)chosen[at - 1]->value == 0;
    /* Proves R42, R236: without a buffer, the length is only an output. */
    const int without_text = (kind == name_length || kind == desc_length) && !chosen[at - 1]->in_memory;
    const int without_arrays = kind == elements && !chosen[at - 1]->in_memory && !chosen[at - 2]->in_memory;
    return unused || without_text || without_arrays ? RIGHT : chosen[at]->stage;
}

/* Returns the code of a valid call. */
static int usual_code(void)
{
    const char *name = function->name;
    const struct subject *s = subject;
    const int access = function->about == PVARS && (function->kinds[1] == a_pvar || function->kinds[3] == new_pvar);
    const int cvar_access = function->kinds[0] == a_cvar || function->kinds[2] == new_cvar;
    const int is_start = !strcmp(name, "pvar_start") || !strcmp(name, "pvar_stop");
    const int is_write = !strcmp(name, "pvar_write") || !strcmp(name, "pvar_reset");
    /* Proves R160: R160 to R162, R174, R178, R183, R185; the metadata of host variables is binding, too. */
    const int refused = (is_start && s->continuous) || (is_write && s->readonly)
                        || (!strcmp(name, "pvar_readreset") && (!s->atomic || s->readonly));
    if (s->host && (access || cvar_access) && !refused)
        return ANY;
    if (s->host && !mpi_is_up && !strcmp(name, "event_handle_alloc"))
        return INVALID_INDEX; /* The host's event types ended with it. */
    if (!strcmp(name, "source_get_timestamp"))
        return OK | NOT_SUPPORTED; /* Proves R220. */
    if (!strcmp(name, "cvar_write"))
        return s->scope == MPI_T_SCOPE_CONSTANT || s->scope == MPI_T_SCOPE_READONLY ? SET_NEVER
                                                                                     : OK | SET_NOT_NOW | SET_NEVER;
    if (is_start)
        return s->continuous ? NO_STARTSTOP : OK; /* Proves R160: R160 to R162. */
    if (!strcmp(name, "pvar_readreset") && !s->atomic)
        return NO_ATOMIC; /* Proves R183. */
    if (is_write || !strcmp(name, "pvar_readreset"))
        return s->readonly ? NO_WRITE : OK; /* Proves R174, R178, R185. */
    return OK;
}

static int expected_codes(void)
{
    enum stage first = RIGHT;
    int set = 0;
    const int is_init = !strcmp(function->name, "init_thread");
    if (!tools_are_up && !is_init)
        return NOT_INITIALIZED; /* Proves R7, R8, R12. */
    for (int i = 0; i < ARGUMENTS && chosen[i]; i++) {
        if (stage_of(i) < first) {
            first = stage_of(i);
            set = 0;
        }
        if (stage_of(i) == first)
            set |= chosen[i]->codes;
    }
    return first == RIGHT ? usual_code() : set;
}

/* Fills memory for the call; returns the handle that the call may free. */
static word prepare(word arguments[ARGUMENTS])
{
    word fresh = 0;
    for (int i = 0; i < ARGUMENTS && chosen[i]; i++) {
        const struct option *option = chosen[i];
        word value = option->value;
        memset(memory[i], CANARY, slot_size(i));
        if (option->fresh)
            value = fresh = function->kinds[i] == session_at ? new_session_of_ours()
                                                             : new_handle_of(subject, subject->session);
        if (option->in_memory)
            memcpy(place_of(i), option->from ? option->from : (const void *)&value, (size_t)option->length);
        memcpy(expected[i], memory[i], slot_size(i));
        arguments[i] = option->in_memory ? WORD(place_of(i)) : value;
    }
    return fresh;
}

/* Proves R9: a failed call writes nothing; a successful one stays within its buffers. */
static void check_memory(int succeeded)
{
    for (int i = 0; i < ARGUMENTS && chosen[i]; i++) {
        const int writable = succeeded ? writable_bytes(i) : 0, before = chosen[i]->offset, behind = before + writable;
        if (chosen[i]->in_memory
            && (memcmp(memory[i], expected[i], (size_t)before)
                || memcmp(memory[i] + behind, expected[i] + behind, slot_size(i) - (size_t)behind)))
            wrong(succeeded ? "wrote beyond its buffer" : "failed and wrote", "left alone");
    }
}

/* Proves R38: R38 to R42, R234 to R236: lengths are full, strings are terminated, and freed handles are null. */
static void check_results(void)
{
    for (int i = 0; i < ARGUMENTS && chosen[i]; i++) {
        const enum kind kind = function->kinds[i];
        const int full = kind == name_length ? subject->name_length : kind == desc_length ? subject->desc_length
                                                                                           : subject->elements;
        int length;
        word handle;
        memcpy(&length, place_of(i), sizeof length);
        memcpy(&handle, place_of(i), sizeof handle);
        if (!chosen[i]->in_memory)
            continue;
        if ((kind == name_length || kind == desc_length || kind == elements) && length != full)
            wrong("returned another length", "the full one");
        if ((kind == name_text || kind == desc_text) && writable_bytes(i) > 0 && !memchr(place_of(i), 0, (size_t)writable_bytes(i)))
            wrong("left a string without end", "ended");
        if ((kind == session_at || kind == pvar_at || kind == cvar_at) && handle != 0)
            wrong("left a handle that ended", "null"); /* Proves R91, R139, R147. */
    }
}

static word out_handle(int at)
{
    word handle;
    memcpy(&handle, place_of(at), sizeof handle);
    return handle;
}

/* Reverts the effects of a call. */
static void clean_up(int succeeded, word fresh)
{
    for (int i = 0; i < ARGUMENTS && chosen[i]; i++) {
        const enum kind kind = function->kinds[i];
        MPI_Info info;
        if (fresh && chosen[i]->fresh && !succeeded) {
            if (kind == session_at)
                end_session(fresh);
            else
                end_handle_of(subject, subject->session, fresh);
        }
        if (!succeeded || !chosen[i]->in_memory)
            continue;
        if (kind == new_session)
            end_session(out_handle(i));
        if (kind == new_pvar || kind == new_cvar || kind == new_registration)
            end_handle_of(subject, subject->session, out_handle(i));
        if ((kind == out_info || kind == may_info) && mpi_is_up) {
            memcpy(&info, place_of(i), sizeof info);
            MPI_Info_free(&info);
        }
    }
    if (!succeeded)
        return;
    if (!strcmp(function->name, "init_thread"))
        MPI_T_finalize();
    if (!strcmp(function->name, "event_register_callback")) {
        const int levels[] = {RESTRICTED, THREAD_SAFE, SIGNAL_SAFE};
        for (int i = 0; i < 3; i++)
            call_named("event_register_callback", subject->handle, (word)levels[i], info_null(), 0, 0);
        call_named("event_register_callback", subject->handle, NONE_SAFE, info_null(), 0, WORD(on_event));
    }
}

static void make_call(void)
{
    word arguments[ARGUMENTS] = {0};
    char got[40] = "", should[400] = "";
    int provided, code = -1;
    totals.calls++;
    if (!function->address) {
        totals.absent++;
        return;
    }
    const int codes_expected = expected_codes();
    const word fresh = prepare(arguments);
    if (tools_are_up && !strcmp(function->name, "finalize"))
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    const int answer = call(function->address, arguments);
    for (int i = 0; i < CODES; i++) {
        if (codes[i].number == answer)
            code = i;
        if (codes[i].set & codes_expected && codes_expected != ANY)
            snprintf(should + strlen(should), sizeof should - strlen(should), "%s ", codes[i].name);
    }
    /* Proves R2, R11: only codes of the tools interface, and of those only the expected ones. */
    if (code < 0 || !(codes[code].set & codes_expected)) {
        snprintf(got, sizeof got, "%d %s", answer, code < 0 ? "" : codes[code].name);
        wrong(got, should);
    }
    check_memory(answer == MPI_SUCCESS);
    if (answer == MPI_SUCCESS)
        check_results();
    clean_up(answer == MPI_SUCCESS, fresh);
}

/* Calls a function for a subject: with valid arguments, then with each argument invalid, then with each two. */
static void sweep(const struct function *f, const struct subject *s)
{
    static struct options options[ARGUMENTS];
    int count = 0;
    function = f;
    subject = s;
    memset(chosen, 0, sizeof chosen);
    while (count < ARGUMENTS && f->kinds[count] != nothing) {
        options_of(&options[count], f, s, count);
        chosen[count] = &options[count].all[0];
        count++;
    }
    /* A host's variable is not written with a value that may be invalid for it. */
    const int may_succeed = !(s->host && count > 1 && f->kinds[count - 1] == in_value);
    if (may_succeed)
        make_call();
    for (int i = 0; i < count; i++) {
        for (int a = 1; a < options[i].count; a++) {
            chosen[i] = &options[i].all[a];
            make_call();
            for (int j = i + 1; j < count; j++) {
                for (int b = 1; b < options[j].count; b++) {
                    chosen[j] = &options[j].all[b];
                    make_call();
                }
                chosen[j] = &options[j].all[0];
            }
        }
        chosen[i] = &options[i].all[0];
    }
}

static void sweep_all(int about)
{
    for (int i = 0; i < FUNCTIONS; i++)
        for (int j = 0; j < subject_count; j++)
            if (functions[i].about == subjects[j].about && (about < 0 || about == (int)subjects[j].about))
                sweep(&functions[i], &subjects[j]);
}

static struct subject *subject_about(enum about about)
{
    for (int i = 0; i < subject_count; i++)
        if (subjects[i].about == about)
            return &subjects[i];
    return NULL;
}

/* Returns 1 if a performance variable is the host's and a handle can be allocated. */
static int is_usable_hosts_pvar(int index, word session, int *is_continuous)
{
    const MPI_T_pvar_session in = (MPI_T_pvar_session)(uintptr_t)session;
    int bind = 0, continuous = 0, count, length = CAPACITY;
    char name[CAPACITY];
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_T_pvar_handle handle;
    if (MPI_T_pvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL, &continuous, NULL)
        || strstr(name, "_monitoring_") || !strcmp(name, "always_running")
        || (bind != MPI_T_BIND_NO_OBJECT && !has_communicators))
        return 0;
    *is_continuous = continuous != 0;
    const int works = !MPI_T_pvar_handle_alloc(in, index, &comm, &handle, &count);
    if (works)
        MPI_T_pvar_handle_free(in, &handle);
    return works;
}

/* Reports the current call from a signal handler. */
static void crashed(int signal_number)
{
    static char text[1000];
    describe(text, sizeof text - 2);
    strcat(text, "\n");
    if (write(STDOUT_FILENO, "crash: ", 7) > 0 && write(STDOUT_FILENO, text, strlen(text)) > 0)
        fflush(stdout);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* After MPI_Init, because libraries install handlers. */
static void report_crashes(void)
{
    signal(SIGSEGV, crashed);
    signal(SIGBUS, crashed);
    signal(SIGABRT, crashed);
}

#endif
