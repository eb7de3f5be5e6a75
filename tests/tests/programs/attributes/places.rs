//! Places where definitions may appear, and names under which the crate may be imported.

use mpit::event::{Context, Event};
use mpit::tool::Class;

use crate::attributes::{event, pvar};

/// Imports the crate under another name.
mod acme {
    pub(crate) use mpit as tools;
}

/// Found by a path of its own.
#[mpit::category(name = "renamed", crate = crate::attributes::places::acme::tools)]
struct Renamed;

/// Found by a path of its own, too.
#[acme::tools::pvar(class = "SIZE", category = Renamed, crate = acme::tools)]
fn renamed_size() -> u64 {
    1
}

/// Emits by a path of its own.
#[acme::tools::source(ordered, crate = acme::tools)]
struct RenamedClock;

/// Happens by a path of its own.
#[acme::tools::event(source = RenamedClock, category = Renamed, crate = acme::tools)]
struct RenamedTick {
    number: u64,
}

#[test]
fn in_function_bodies() {
    /// Only known here.
    #[mpit::category(name = "local.category", parent = Renamed)]
    struct Local;

    /// Only known here.
    #[derive(Clone, Copy, mpit::MpitEnum)]
    #[mpit(name = "local_state")]
    #[repr(i32)]
    enum LocalState {
        On,
    }

    /// Only updated here.
    #[mpit::pvar(class = "COUNTER", category = Local)]
    static IN_A_BODY: mpit::cell::Counter<u64> = mpit::cell::Counter::new();

    /// Only computed here.
    #[mpit::pvar(class = "STATE")]
    fn state_in_a_body() -> LocalState {
        LocalState::On
    }

    /// Only set here.
    #[mpit::cvar]
    static SET_IN_A_BODY: mpit::cvar::Cvar<bool> = mpit::cvar::Cvar::new(false);

    /// Only emits here.
    #[mpit::source(ordered)]
    struct ClockInABody;

    /// Only happens here.
    #[mpit::event(source = ClockInABody, category = Local)]
    struct TickInABody {
        number: u64,
    }

    TickInABody::raise(Context::ANYWHERE, || TickInABody { number: 1 });
    assert_eq!(event("tick_in_a_body").source().name(), "clock_in_a_body");
    IN_A_BODY.increment();
    assert!(!SET_IN_A_BODY.get());
    assert_eq!(pvar("in_a_body", Class::Counter).categories()[0].name(), "local.category");
    assert_eq!(pvar("state_in_a_body", Class::State).enumeration().expect("one").name(), "local_state");
}

#[test]
fn under_another_name_of_the_crate() {
    assert_eq!(pvar("renamed_size", Class::Size).categories()[0].name(), "renamed");
    RenamedTick::raise(Context::ANYWHERE, || RenamedTick { number: 1 });
    assert_eq!(event("renamed_tick").categories()[0].name(), "renamed");
    // A crate that does not import it as `mpit`.
    assert_eq!(mpit_tests_renamed::RENAMED_SETTING.get(), 1);
    let phase = pvar("renamed_state", Class::State).enumeration().expect("one");
    assert_eq!(phase.name(), "mpit_tests_renamed_phase");
    assert_eq!(event("renamed_event").source().name(), "renamed_source");
}

/// Defines a family of variables, as a program with many similar measurements does.
macro_rules! family {
    ($($ident:ident, $name:literal, $what:expr;)+) => {$(
        /// Bytes in
        #[doc = $what]
        /// so far.
        #[mpit::pvar(class = "AGGREGATE", name = $name)]
        pub(crate) static $ident: mpit::cell::Aggregate<u64> = mpit::cell::Aggregate::new();
    )+};
}

family! {
    SENDS, "family.sends", "sends";
    RECEIVES, "family.receives", concat!("receives", " and probes");
}

/// Defines a family of events.
macro_rules! events {
    ($($ident:ident { $($field:ident: $ty:ty),* })+) => {$(
        /// One of several.
        #[mpit::event(source = RenamedClock)]
        pub(crate) struct $ident {
            $(pub(crate) $field: $ty,)*
        }
    )+};
}

events! {
    FamilyGrown { by: u32, to: u64 }
    FamilyGone {}
}

#[test]
fn in_macros_of_other_crates() {
    FamilyGrown::raise(Context::ANYWHERE, || FamilyGrown { by: 1, to: 2 });
    FamilyGone::raise(Context::ANYWHERE, || FamilyGone {});
    assert_eq!(event("family_grown").elements().len(), 2);
    assert_eq!(SENDS.total() + RECEIVES.total(), 0);
    assert_eq!(pvar("family.sends", Class::Aggregate).description(), "Bytes in sends so far.");
    let text = pvar("family.receives", Class::Aggregate).description();
    assert_eq!(text, "Bytes in receives and probes so far.");
}

/// Takes all names that the generated code uses itself.
mod crowded {
    #[expect(dead_code, reason = "only here to be in the way")]
    mod names {
        pub(crate) struct Option;
        pub(crate) struct Result;
        pub(crate) fn drop() {}
    }
    #[expect(unused_imports, reason = "only here to be in the way")]
    use names::*;

    /// A name of the generated code.
    #[mpit::pvar(class = "SIZE", name = "crowded_element")]
    pub(crate) static ELEMENT: mpit::cell::Size<u64> = mpit::cell::Size::new();

    /// Another one.
    #[mpit::category(name = "crowded")]
    pub(crate) struct Core;

    /// And one more.
    #[mpit::cvar(name = "crowded_default", category = Core)]
    pub(crate) static COUNT: mpit::cvar::Cvar<u32> = mpit::cvar::Cvar::new(1).range(0..=2);

    /// A third category of things.
    #[mpit::source(unordered, name = "crowded_source")]
    pub(crate) struct Cell;

    /// With names that the generated code has, too.
    #[mpit::event(source = Cell, name = "crowded_event")]
    pub(crate) struct Event {
        pub(crate) datatype: u32,
        pub(crate) desc: u64,
    }

    /// A shadowed type of value.
    #[mpit::pvar(class = "SIZE", name = "crowded_object")]
    pub(crate) fn object() -> u64 {
        u64::from(COUNT.get())
    }
}

#[test]
fn names_of_the_generated_code_are_free() {
    assert_eq!(crowded::ELEMENT.get() + crowded::object(), 1);
    assert_eq!(pvar("crowded_object", Class::Size).name(), "crowded_object");
    crowded::Event::raise(Context::ANYWHERE, || crowded::Event { datatype: 1, desc: 2 });
    assert_eq!(event("crowded_event").elements().len(), 2);
}

/// Not in this program.
#[mpit::pvar(class = "SIZE")]
#[cfg(windows)]
fn elsewhere() -> u64 {
    undefined()
}

/// Not in this program, either.
#[mpit::event(source = Undefined)]
#[cfg(windows)]
struct HappensElsewhere {
    number: undefined,
}

#[test]
fn disabled_items_are_not_registered() {
    let registry = mpit::tool::Tool::new().registry();
    assert!(registry.pvar_index("elsewhere", Class::Size).is_none());
    assert!(registry.event_index("happens_elsewhere").is_none());
}
