// mpit.hpp: mpit_plugin.h and mpit_region.h for C++17 and later.
//
//     static mpit::counter steps;
//     static mpit::timer solving;
//     static constexpr mpit_pvar pvars[] = {
//         mpit::pvar("solver_steps", "Steps of the solver.", steps),
//         mpit::pvar("solver_time", "Time in the solver.", solving),
//     };
//     static constexpr mpit_table table = mpit::table("solver", pvars);
//
//     mpit_offer(&table);             // once; MPIT_PLUGIN_OF("solver", 0, 0, table) makes a plug-in of it
//     mpit::region region("solver");  // to the end of the block, as the next
//     mpit::timer::scope scope(solving);
//     ++steps;
//
// Tables are constants, which need no code at the start of the program. Storage that they refer to is `static` or of a namespace.
// The members of an entry that its builder does not set are set afterwards: mpit::pvar(...).categories(names).
#ifndef MPIT_HPP
#define MPIT_HPP

#include "mpit_plugin.h"
#include "mpit_region.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mpit {

namespace detail {

template <class> inline constexpr bool unsupported = false;

// The number of a type in `enum mpit_datatype`.
template <class T> constexpr int datatype_of()
{
    if constexpr (std::is_same_v<T, char>)
        return MPIT_CHAR;
    else if constexpr (std::is_same_v<T, double>)
        return MPIT_DOUBLE;
    else if constexpr (std::is_same_v<T, int>)
        return MPIT_INT;
    else if constexpr (std::is_same_v<T, unsigned>)
        return MPIT_UNSIGNED;
    else if constexpr (std::is_same_v<T, unsigned long>)
        return MPIT_UNSIGNED_LONG;
    else if constexpr (std::is_same_v<T, unsigned long long>)
        return MPIT_UNSIGNED_LONG_LONG;
    else if constexpr (std::is_same_v<T, std::int64_t> || (std::is_same_v<T, long long> && sizeof(T) == 8))
        return MPIT_INT64_T;
    else
        static_assert(unsupported<T>, "values are char, double, int, long, long long, or unsigned ones of the last three");
    return -1;
}

// The sum of one variable, and its entry's members.
class sum {
public:
    constexpr sum() noexcept = default;
    sum(const sum &) = delete;
    sum &operator=(const sum &) = delete;

    // Returns true if a handle is started. Lets the caller skip work that only the variable needs.
    bool watched() const noexcept { return mpit_sum_watched(&cell_) != 0; }

    constexpr mpit_sum *cell() noexcept { return &cell_; }

protected:
    mpit_sum cell_ = MPIT_SUM_INIT;
};

} // namespace detail

// A COUNTER: a sum that costs a load and a branch while no tool reads it.
class counter : public detail::sum {
public:
    static constexpr int pvar_class = MPIT_CLASS_COUNTER, datatype = MPIT_UNSIGNED_LONG_LONG;

    void add(std::uint64_t amount) noexcept { mpit_counter_add(&cell_, amount); }
    void operator++() noexcept { add(1); }
    void operator+=(std::uint64_t amount) noexcept { add(amount); }
};

// An AGGREGATE: a sum of amounts, such as bytes.
class aggregate : public counter {
public:
    static constexpr int pvar_class = MPIT_CLASS_AGGREGATE;
};

// A TIMER: a sum of seconds.
class timer : public detail::sum {
public:
    static constexpr int pvar_class = MPIT_CLASS_TIMER, datatype = MPIT_DOUBLE;

    void add(double seconds) noexcept { mpit_sum_add_double(&cell_, seconds); }

    // Adds the time from its construction to its destruction. The clock is read only while a handle is started.
    class scope {
    public:
        explicit scope(timer &of) noexcept : cell_(of.cell()), start_(mpit_timer_start(cell_)) {}
        ~scope() { mpit_timer_stop(cell_, start_); }
        scope(const scope &) = delete;
        scope &operator=(const scope &) = delete;

    private:
        mpit_sum *cell_;
        std::uint64_t start_;
    };
};

// A LEVEL, and the watermarks of it.
class level {
public:
    static constexpr int pvar_class = MPIT_CLASS_LEVEL, datatype = MPIT_UNSIGNED_LONG_LONG;

    constexpr level() noexcept = default;
    level(const level &) = delete;
    level &operator=(const level &) = delete;

    void set(std::uint64_t value) noexcept { mpit_level_set(&cell_, value); }
    void operator+=(std::uint64_t amount) noexcept { mpit_level_add(&cell_, amount); }
    void operator-=(std::uint64_t amount) noexcept { mpit_level_subtract(&cell_, amount); }
    void operator++() noexcept { *this += 1; }
    void operator--() noexcept { *this -= 1; }

    constexpr mpit_level *cell() noexcept { return &cell_; }

private:
    mpit_level cell_ = MPIT_LEVEL_INIT;
};

// A COUNTER for each communicator.
class comm_counters {
public:
    // The counter of one communicator; without effect if mpit is not in the process.
    class one {
    public:
        explicit one(mpit_comm_counter *counter = nullptr) noexcept : counter_(counter) {}
        void add(std::uint64_t amount) const noexcept { mpit_comm_counter_add(counter_, amount); }
        void operator++() const noexcept { add(1); }
        void operator+=(std::uint64_t amount) const noexcept { add(amount); }

    private:
        mpit_comm_counter *counter_;
    };

    constexpr comm_counters() noexcept = default;
    comm_counters(const comm_counters &) = delete;
    comm_counters &operator=(const comm_counters &) = delete;

    // Returns the counter of a communicator. Call it once for each, after MPI is initialized, and keep the result.
    template <class Comm> one of(Comm comm) noexcept { return one(mpit_comm_counter_of(&all_, &comm)); }

    constexpr mpit_comm_counters *all() noexcept { return &all_; }

private:
    mpit_comm_counters all_ = MPIT_COMM_COUNTERS_INIT;
};

// An event type whose payload is a struct of numbers.
template <class Payload> class event {
public:
    static_assert(std::is_trivially_copyable_v<Payload>, "tools get a copy of the payload's bytes");

    constexpr event() noexcept = default;
    event(const event &) = delete;
    event &operator=(const event &) = delete;

    // Returns true if the event has listeners. Lets the caller skip computing the payload.
    bool has_listeners() const noexcept { return mpit_event_has_listeners(&cell_) != 0; }

    // Raises the event. The object is the number of the MPI object that the event is bound to, or 0.
    void raise(const Payload &payload, mpit_safety safety = MPIT_SAFETY_NONE, std::uint64_t object = 0) const
    {
        mpit_raise(&cell_, safety, object, &payload);
    }

    constexpr mpit_event_cell *cell() noexcept { return &cell_; }

private:
    mpit_event_cell cell_ = MPIT_EVENT_CELL_INIT;
};

// A region of the program, from its construction to its destruction. The name remains valid until then.
class region {
public:
    explicit region(const char *name) noexcept : name_(name) { mpit_region_begin(name_); }
    ~region() { mpit_region_end(name_); }
    region(const region &) = delete;
    region &operator=(const region &) = delete;

private:
    const char *name_;
};

namespace detail {

// The address of a number, or of the first one of an array.
template <class T> constexpr T *first_of(T &number) noexcept { return &number; }
template <class T, std::size_t N> constexpr T *first_of(T (&numbers)[N]) noexcept { return numbers; }

// The common part of the builders: `Entry` is the struct of C, and `Builder` the class that derives from this one.
template <class Entry, class Builder> class builder {
public:
    constexpr operator Entry() const noexcept { return entry_; }

protected:
    constexpr builder(const char *name, const char *description, const char *file, unsigned line) noexcept
    {
        entry_.size = sizeof(Entry);
        entry_.file = file;
        entry_.line = line;
        entry_.name = name;
        entry_.description = description;
    }

    constexpr Builder &self() noexcept { return static_cast<Builder &>(*this); }

    Entry entry_{};
};

} // namespace detail

// A performance variable, which is an `mpit_pvar`.
class pvar : public detail::builder<mpit_pvar, pvar> {
public:
    // A counter, an aggregate or a timer.
    template <class Sum, class = std::enable_if_t<std::is_base_of_v<detail::sum, Sum>>>
    constexpr pvar(const char *name, const char *description, Sum &of, const char *file = __builtin_FILE(),
                   unsigned line = __builtin_LINE()) noexcept
        : builder(name, description, file, line)
    {
        entry_.pvar_class = Sum::pvar_class;
        entry_.datatype = Sum::datatype;
        entry_.count = 1;
        entry_.sum = of.cell();
    }

    // A level, or with MPIT_CLASS_HIGHWATERMARK and MPIT_CLASS_LOWWATERMARK the watermarks of one.
    constexpr pvar(const char *name, const char *description, level &of, mpit_class pvar_class = MPIT_CLASS_LEVEL,
                   const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()) noexcept
        : builder(name, description, file, line)
    {
        entry_.pvar_class = pvar_class;
        entry_.datatype = level::datatype;
        entry_.count = 1;
        entry_.level = of.cell();
    }

    // Counters of communicators.
    constexpr pvar(const char *name, const char *description, comm_counters &of, const char *file = __builtin_FILE(),
                   unsigned line = __builtin_LINE()) noexcept
        : builder(name, description, file, line)
    {
        entry_.pvar_class = MPIT_CLASS_COUNTER;
        entry_.datatype = MPIT_UNSIGNED_LONG_LONG;
        entry_.bind = MPIT_BIND_COMM;
        entry_.count = 1;
        entry_.read = mpit_comm_counters_read;
        entry_.watch = mpit_comm_counters_watch;
        entry_.user_data = of.all();
    }

    constexpr pvar categories(const char *const *names) noexcept { return entry_.categories = names, self(); }
    constexpr pvar verbosity(mpit_verbosity verbosity) noexcept { return entry_.verbosity = verbosity, self(); }
    constexpr pvar flags(unsigned flags) noexcept { return entry_.flags = flags, self(); }
};

// A control variable, which is an `mpit_cvar`: a number, an array of numbers, or an array of `char` for text. That of a constant is CONSTANT.
class cvar : public detail::builder<mpit_cvar, cvar> {
public:
    template <class T>
    constexpr cvar(const char *name, const char *description, T &storage, mpit_scope scope = MPIT_SCOPE_LOCAL,
                   const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()) noexcept
        : builder(name, description, file, line)
    {
        static_assert(std::rank_v<T> <= 1, "a setting has one dimension");
        using Element = std::remove_extent_t<T>;
        entry_.datatype = detail::datatype_of<std::remove_const_t<Element>>();
        entry_.scope = std::is_const_v<Element> ? MPIT_SCOPE_CONSTANT : scope;
        entry_.count = std::is_array_v<T> ? static_cast<int>(std::extent_v<T>) : 1;
        // mpit does not write to a constant.
        entry_.storage = const_cast<std::remove_const_t<Element> *>(detail::first_of(storage));
    }

    // Checks and applies values: `set` of `mpit_cvar`.
    constexpr cvar set(mpit_set_function *set, void *user_data = nullptr) noexcept
    {
        entry_.set = set;
        entry_.user_data = user_data;
        return self();
    }
    constexpr cvar categories(const char *const *names) noexcept { return entry_.categories = names, self(); }
    constexpr cvar verbosity(mpit_verbosity verbosity) noexcept { return entry_.verbosity = verbosity, self(); }
    constexpr cvar flags(unsigned flags) noexcept { return entry_.flags = flags, self(); }
};

// A source of events, which is an `mpit_source`.
class source : public detail::builder<mpit_source, source> {
public:
    constexpr source(const char *name, const char *description, mpit_order order = MPIT_SOURCE_UNORDERED,
                     const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()) noexcept
        : builder(name, description, file, line)
    {
        entry_.order = order;
    }
};

// An event type, which is an `mpit_event`. Its elements are a constant array: {MPIT_ELEMENT(payload, member, MPIT_INT), ...}.
class event_type : public detail::builder<mpit_event, event_type> {
public:
    template <class Payload, std::size_t N>
    constexpr event_type(const char *name, const char *description, event<Payload> &of, const char *source,
                         const mpit_element (&elements)[N], const char *file = __builtin_FILE(),
                         unsigned line = __builtin_LINE()) noexcept
        : builder(name, description, file, line)
    {
        entry_.source = source;
        entry_.elements = elements;
        entry_.num_elements = N;
        entry_.cell = of.cell();
    }

    constexpr event_type categories(const char *const *names) noexcept { return entry_.categories = names, self(); }
    constexpr event_type verbosity(mpit_verbosity verbosity) noexcept { return entry_.verbosity = verbosity, self(); }
    constexpr event_type bind(mpit_bind kind) noexcept { return entry_.bind = kind, self(); }
};

// A category, which is an `mpit_category`.
class category : public detail::builder<mpit_category, category> {
public:
    constexpr category(const char *name, const char *description, const char *parent = nullptr,
                       const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()) noexcept
        : builder(name, description, file, line)
    {
        entry_.parent = parent;
    }
};

namespace detail {

template <std::size_t N> constexpr void add(mpit_table &table, const mpit_pvar (&list)[N]) noexcept
{
    table.pvars = list;
    table.num_pvars = N;
}
template <std::size_t N> constexpr void add(mpit_table &table, const mpit_cvar (&list)[N]) noexcept
{
    table.cvars = list;
    table.num_cvars = N;
}
template <std::size_t N> constexpr void add(mpit_table &table, const mpit_source (&list)[N]) noexcept
{
    table.sources = list;
    table.num_sources = N;
}
template <std::size_t N> constexpr void add(mpit_table &table, const mpit_event (&list)[N]) noexcept
{
    table.events = list;
    table.num_events = N;
}
template <std::size_t N> constexpr void add(mpit_table &table, const mpit_category (&list)[N]) noexcept
{
    table.categories = list;
    table.num_categories = N;
}
template <std::size_t N> constexpr void add(mpit_table &table, const mpit_component (&list)[N]) noexcept
{
    table.components = list;
    table.num_components = N;
}

} // namespace detail

// Returns the table of a library, from lists in any order, one of each kind at most.
template <class... Lists> constexpr mpit_table table(const char *component, const Lists &...lists) noexcept
{
    mpit_table made{};
    made.size = sizeof made;
    made.version = MPIT_MAJOR;
    made.component = component;
    (detail::add(made, lists), ...);
    return made;
}

} // namespace mpit

#endif
