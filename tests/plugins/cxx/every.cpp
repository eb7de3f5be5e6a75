// A plug-in with an entry of each kind that mpit.hpp builds, and each type of values.
#include <mpit.hpp>

static mpit::counter steps;
static mpit::aggregate bytes;
static mpit::timer solving;
static mpit::level queued;
static mpit::comm_counters reductions;
static int limit = 100;
static char mode[16] = "fast";
static double weights[3] = {1, 2, 3};
static unsigned number = 1;
static long signed_long = 2;
static long long signed_long_long = 3;
static unsigned long unsigned_long = 4;
static unsigned long long unsigned_long_long = 5;

struct restart {
    int step;
    double residual;
};
static mpit::event<restart> restarted;

static int positive(void *, const void *value, int)
{
    return *static_cast<const int *>(value) <= 0;
}

static constexpr const char *in_cxx[] = {"cxx", nullptr};
static constexpr mpit_pvar pvars[] = {
    mpit::pvar("cxx_steps", "Steps.", steps).categories(in_cxx).verbosity(MPIT_VERBOSITY_USER_DETAIL).flags(MPIT_PVAR_ATOMIC),
    mpit::pvar("cxx_bytes", "Bytes. Unit: bytes.", bytes),
    mpit::pvar("cxx_solving", "Time. Unit: s.", solving),
    mpit::pvar("cxx_queued", "Jobs.", queued),
    mpit::pvar("cxx_queued", "The most jobs.", queued, MPIT_CLASS_HIGHWATERMARK),
    mpit::pvar("cxx_reductions", "Reductions.", reductions),
};
static constexpr double factors[] = {1.5, 2.5};
static constexpr mpit_cvar cvars[] = {
    mpit::cvar("cxx_limit", "Steps at most.", limit).set(positive).categories(in_cxx),
    mpit::cvar("cxx_mode", "Text.", mode, MPIT_SCOPE_ALL).flags(MPIT_CVAR_BEFORE_INIT),
    mpit::cvar("cxx_weights", "Three numbers.", weights).verbosity(MPIT_VERBOSITY_TUNER_BASIC),
    mpit::cvar("cxx_number", "A number.", number),
    mpit::cvar("cxx_signed_long", "A number.", signed_long),
    mpit::cvar("cxx_signed_long_long", "A number.", signed_long_long),
    mpit::cvar("cxx_unsigned_long", "A number.", unsigned_long),
    mpit::cvar("cxx_unsigned_long_long", "A number.", unsigned_long_long),
    mpit::cvar("cxx_factors", "Constants.", factors),
};
static constexpr mpit_source sources[] = {mpit::source("cxx", "A clock.")};
static constexpr mpit_element elements[] = {
    MPIT_ELEMENT(restart, step, MPIT_INT),
    MPIT_ELEMENT(restart, residual, MPIT_DOUBLE),
};
static constexpr mpit_event events[] = {
    mpit::event_type("cxx_restarted", "It begins again.", restarted, "cxx", elements).categories(in_cxx).bind(MPIT_BIND_COMM),
};
static constexpr mpit_category categories[] = {mpit::category("cxx", "Tests of mpit.hpp.")};
static constexpr mpit_table table = mpit::table("cxx", events, pvars, cvars, sources, categories);

static_assert(table.num_pvars == 6 && table.num_cvars == 9 && table.num_events == 1);
static_assert(pvars[1].line == pvars[0].line + 1 && pvars[2].datatype == MPIT_DOUBLE && pvars[5].bind == MPIT_BIND_COMM);
static_assert(cvars[1].count == 16 && cvars[1].datatype == MPIT_CHAR && cvars[2].count == 3);
static_assert(cvars[8].count == 2 && cvars[8].scope == MPIT_SCOPE_CONSTANT && cvars[0].scope == MPIT_SCOPE_LOCAL);

void work()
{
    mpit::region region("work");
    mpit::timer::scope scope(solving);
    mpit::comm_counters::one count = reductions.of(limit);
    ++steps;
    steps += 4;
    bytes += 3;
    ++queued;
    queued += 2;
    --queued;
    queued -= 1;
    queued.set(3);
    ++count;
    count += 2;
    if (restarted.has_listeners() || solving.watched())
        restarted.raise({1, 2.0}, MPIT_SAFETY_THREAD_SAFE, 1);
}

MPIT_PLUGIN_OF("cxx", nullptr, nullptr, table)
