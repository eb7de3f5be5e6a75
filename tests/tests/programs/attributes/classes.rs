//! Statics: each class with each cell, value type and datatype that it may have.

use mpit::MpitEnum;
use mpit::cell::{
    Aggregate, Counter, Custom, Generic, HighWatermark, Level, LowWatermark, PeerArray, Percentage, Size,
    State, Timer,
};
use mpit::internal::desc::PvarFlags;
use mpit::object::Bind;
use mpit::tool::{Class, Datatype, Verbosity};

use crate::attributes::pvar;

/// Defines one variable per line, and a test that finds each with its datatype and binding.
macro_rules! table {
    ($($ident:ident: $ty:ty, $class:literal as $datatype:ident, $bind:ident, [$($keys:tt)*];)+) => {
        $(
            /// One of many.
            #[mpit::pvar(class = $class, $($keys)*)]
            static $ident: $ty = <$ty>::new();
        )+

        #[test]
        fn each_class_takes_its_cells() {
            $(
                let class = Class::from_name($class).expect("a class");
                let desc = pvar(&stringify!($ident).to_lowercase(), class);
                assert_eq!(desc.datatype(), Datatype::$datatype, "{}", desc.name());
                assert_eq!(desc.bind(), Bind::$bind, "{}", desc.name());
                assert!(desc.description().starts_with("One of many."), "{}", desc.description());
            )+
        }
    };
}

table! {
    COUNTER_U32: Counter<u32>, "COUNTER" as Unsigned, NoObject, [];
    COUNTER_U64: Counter<u64>, "COUNTER" as UnsignedLongLong, NoObject, [];
    COUNTER_ULONG: Counter<u64>, "COUNTER" as UnsignedLong, NoObject, [datatype = "UNSIGNED_LONG"];
    COUNTER_C_ULONG: Counter<std::ffi::c_ulong>, "COUNTER" as UnsignedLong, NoObject, [datatype = "UNSIGNED_LONG"];
    COUNTER_PEERS: PeerArray<u64>, "COUNTER" as UnsignedLongLong, Comm, [];
    AGGREGATE_U32: Aggregate<u32>, "AGGREGATE" as Unsigned, NoObject, [];
    AGGREGATE_U64: Aggregate<u64>, "AGGREGATE" as UnsignedLongLong, NoObject, [unit = "bytes"];
    AGGREGATE_F64: Aggregate<f64>, "AGGREGATE" as Double, NoObject, [];
    AGGREGATE_PEERS: PeerArray<u32>, "AGGREGATE" as Unsigned, Comm, [bind = "COMM"];
    TIMER_U32: Timer<u32>, "TIMER" as Unsigned, NoObject, [unit = "ms"];
    TIMER_U64: Timer<u64>, "TIMER" as UnsignedLongLong, NoObject, [unit = "ns"];
    TIMER_F64: Timer<f64>, "TIMER" as Double, NoObject, [];
    TIMER_SECONDS: Timer<f64>, "TIMER" as Double, NoObject, [unit = "s", datatype = "DOUBLE"];
    TIMER_PEERS: PeerArray<u64>, "TIMER" as UnsignedLongLong, Comm, [unit = "us"];
    LEVEL_U32: Level<u32>, "LEVEL" as Unsigned, NoObject, [bind = "NO_OBJECT"];
    LEVEL_U64: Level<u64>, "LEVEL" as UnsignedLongLong, NoObject, [];
    LEVEL_F64: Level<f64>, "LEVEL" as Double, NoObject, [];
    SIZE_U32: Size<u32>, "SIZE" as Unsigned, NoObject, [];
    SIZE_U64: Size<u64>, "SIZE" as UnsignedLong, NoObject, [datatype = "UNSIGNED_LONG"];
    SIZE_F64: Size<f64>, "SIZE" as Double, NoObject, [];
    SIZE_PEERS: PeerArray<u64>, "SIZE" as UnsignedLongLong, Comm, [];
    HIGH_U32: HighWatermark<u32>, "HIGHWATERMARK" as Unsigned, NoObject, [];
    HIGH_F64: HighWatermark<f64>, "HIGHWATERMARK" as Double, NoObject, [];
    HIGH_LEVEL: Level<u64>, "HIGHWATERMARK" as UnsignedLongLong, NoObject, [];
    LOW_U64: LowWatermark<u64>, "LOWWATERMARK" as UnsignedLongLong, NoObject, [];
    LOW_LEVEL: Level<f64>, "LOWWATERMARK" as Double, NoObject, [];
    GENERIC_U32: Generic<u32>, "GENERIC" as Uint32, NoObject, [datatype = "UINT32_T"];
    GENERIC_U64: Generic<u64>, "GENERIC" as Uint64, NoObject, [datatype = "UINT64_T"];
    GENERIC_I32: Generic<i32>, "GENERIC" as Int, NoObject, [];
    GENERIC_INT32: Generic<i32>, "GENERIC" as Int32, NoObject, [datatype = "INT32_T"];
    GENERIC_I64: Generic<i64>, "GENERIC" as Int64, NoObject, [];
    GENERIC_COUNT: Generic<i64>, "GENERIC" as Count, NoObject, [datatype = "COUNT"];
    GENERIC_F64: Generic<f64>, "GENERIC" as Double, NoObject, [];
    GENERIC_PEERS: PeerArray<u32>, "GENERIC" as Uint32, Comm, [datatype = "UINT32_T"];
    STATE: State<Weather>, "STATE" as Int, NoObject, [datatype = "INT"];
}

#[derive(Clone, Copy, Debug, PartialEq, MpitEnum)]
#[mpit(name = "weather")]
#[repr(i32)]
pub(crate) enum Weather {
    Fair,
    Foul = 7,
}

/// The covered share of the sky.
#[mpit::pvar(class = "PERCENTAGE", verbosity = "USER_BASIC")]
static CLOUDS: Percentage = Percentage::new(0.25);

#[test]
fn a_percentage_may_start_anywhere() {
    let desc = pvar("clouds", Class::Percentage);
    assert_eq!((desc.datatype(), desc.verbosity()), (Datatype::Double, Verbosity::UserBasic));
    assert!((CLOUDS.get() - 0.25).abs() < f64::EPSILON);
}

#[test]
fn a_state_has_its_enumeration() {
    let enumeration = pvar("state", Class::State).enumeration().expect("one");
    assert_eq!(enumeration.name(), "weather");
    assert_eq!(STATE.get(), Weather::Fair);
    assert!(pvar("counter_u64", Class::Counter).enumeration().is_none());
}

/// Requests in the queue.
#[mpit::pvar(
    class = "LEVEL",
    name = "requests",
    highwatermark,
    lowwatermark,
    verbosity = "MPIDEV_ALL",
    component = "engine"
)]
static QUEUE: Level<u64> = Level::new();

#[test]
fn a_level_may_be_its_own_watermarks() {
    QUEUE.set(3);
    for class in [Class::Level, Class::HighWatermark, Class::LowWatermark] {
        let desc = pvar("requests", class);
        assert_eq!(desc.description(), "Requests in the queue.");
        assert_eq!((desc.verbosity(), desc.component()), (Verbosity::MpidevAll, "engine"));
        assert_eq!(desc.flags().has(PvarFlags::READONLY), class == Class::Level);
    }
}

/// A counter that is not kept per handle.
#[mpit::pvar(class = "COUNTER", readonly, continuous)]
static FIXED: Counter<u64> = Counter::new();

/// Taken in one step.
#[mpit::pvar(class = "COUNTER", atomic)]
static TAKEN: Counter<u64> = Counter::new();

/// A level that a tool may reset.
#[mpit::pvar(class = "LEVEL", writable)]
static ADJUSTABLE: Level<u64> = Level::new();

#[test]
fn flags_are_given_or_of_the_class() {
    let flags = |name, class| pvar(name, class).flags();
    assert_eq!(flags("counter_u64", Class::Counter), PvarFlags::NONE);
    assert_eq!(flags("fixed", Class::Counter), PvarFlags::READONLY.with(PvarFlags::CONTINUOUS));
    assert_eq!(flags("taken", Class::Counter), PvarFlags::ATOMIC);
    assert_eq!(flags("level_u64", Class::Level), PvarFlags::READONLY);
    assert_eq!(flags("adjustable", Class::Level), PvarFlags::NONE);
    assert_eq!(ADJUSTABLE.get(), FIXED.total() + TAKEN.total());
}

/// A variable with an implementation of its own.
struct Echo;

impl Custom for Echo {
    type Value = u32;
    const COUNT: usize = 2;
}

/// Says nothing, for each window.
#[mpit::pvar(class = "GENERIC", bind = "WIN")]
static ECHO: Echo = Echo;

#[test]
fn own_types_may_have_any_binding() {
    let Echo = ECHO;
    assert_eq!(pvar("echo", Class::Generic).bind(), Bind::Win);
}

/// The first line,
/// which goes on.
///
///   A second paragraph.
#[mpit::pvar(class = "TIMER", unit = "cycles")]
static DESCRIBED: Timer<u64> = Timer::new();

/// Proves R123.
#[test]
fn description_is_doc_comment_and_unit() {
    let text = pvar("described", Class::Timer).description();
    assert_eq!(text, "The first line, which goes on.\nA second paragraph. Unit: cycles.");
    assert_eq!(DESCRIBED.total(), 0);
}

/// Proves C51.
#[test]
fn omitted_keys_of_pvars_get_defaults() {
    let desc = pvar("counter_u64", Class::Counter);
    assert_eq!((desc.component(), desc.verbosity()), ("mpit-tests", Verbosity::TunerDetail));
    assert!(desc.categories().is_empty());
    assert!(desc.origin().to_string().contains("classes.rs:"), "{}", desc.origin());
}
