//! The variables of the target, of each kind, and the program that updates them.

use std::ffi::c_int;

use arbitrary::{Result, Unstructured};
use mpit::cell::{Aggregate, Counter, Level, Size};
use mpit::pvar;
use mpit::tool::Class;

/// A counter of 32 bits.
#[pvar(class = "COUNTER")]
static FUZZ_NARROW: Counter<u32> = Counter::new();

/// A counter of 64 bits that can be read and reset in one step.
#[pvar(class = "COUNTER", atomic)]
static FUZZ_WIDE: Counter<u64> = Counter::new();

/// Amounts in quarters.
#[pvar(class = "AGGREGATE")]
static FUZZ_AMOUNT: Aggregate<f64> = Aggregate::new();

/// A level with both watermarks.
#[pvar(class = "LEVEL", highwatermark, lowwatermark)]
static FUZZ_USE: Level<u64> = Level::new();

/// A size that tools may write.
#[pvar(class = "SIZE", writable)]
static FUZZ_EXTENT: Size<u64> = Size::new();

/// A counter that always runs.
#[pvar(class = "COUNTER", continuous)]
static FUZZ_ALWAYS: Counter<u64> = Counter::new();

/// A counter that tools cannot change.
#[pvar(class = "COUNTER", readonly)]
static FUZZ_FIXED: Counter<u64> = Counter::new();

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Narrow,
    Wide,
    Amount,
    Level,
    High,
    Low,
    Extent,
    Always,
    Fixed,
}

/// The variables, in the order of [`Kind`].
const VARIABLES: [(Kind, &str, Class); 9] = [
    (Kind::Narrow, "fuzz_narrow", Class::Counter),
    (Kind::Wide, "fuzz_wide", Class::Counter),
    (Kind::Amount, "fuzz_amount", Class::Aggregate),
    (Kind::Level, "fuzz_use", Class::Level),
    (Kind::High, "fuzz_use", Class::HighWatermark),
    (Kind::Low, "fuzz_use", Class::LowWatermark),
    (Kind::Extent, "fuzz_extent", Class::Size),
    (Kind::Always, "fuzz_always", Class::Counter),
    (Kind::Fixed, "fuzz_fixed", Class::Counter),
];

const _: () = {
    let mut at = 0;
    while at < VARIABLES.len() {
        assert!(VARIABLES[at].0 as usize == at, "the variables are not in the order of `Kind`");
        at += 1;
    }
};

impl Kind {
    pub(super) fn choose(choices: &mut Unstructured<'_>) -> Result<Self> {
        Ok(choices.choose(&VARIABLES)?.0)
    }

    pub(super) fn name(self) -> &'static str {
        VARIABLES[self as usize].1
    }

    pub(super) fn class(self) -> Class {
        VARIABLES[self as usize].2
    }

    pub(super) fn is_sum(self) -> bool {
        matches!(self.class(), Class::Counter | Class::Aggregate)
    }

    /// Returns the index, which is also that of the C functions, because there is no host.
    pub(super) fn index(self) -> c_int {
        let index = mpit::tool::Registry::global().pvar_index(self.name(), self.class());
        index.expect("the variable is registered").cast_signed()
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// This amount was added to all counters.
    Counted(u32),
    /// So many quarters were added to the aggregate.
    Added(u16),
    Leveled,
    Sized,
}

/// Begins a run: sets levels and sizes to 0.
pub(super) fn begin() {
    FUZZ_USE.set(0);
    FUZZ_EXTENT.set(0);
}

pub(super) fn present(kind: Kind) -> u64 {
    if kind == Kind::Extent { FUZZ_EXTENT.get() } else { FUZZ_USE.get() }
}

pub(super) fn step(choices: &mut Unstructured<'_>) -> Result<Event> {
    Ok(match choices.int_in_range(0..=5)? {
        0 => {
            let amount = choices.arbitrary()?;
            FUZZ_NARROW.add(amount);
            for counter in [&FUZZ_WIDE, &FUZZ_ALWAYS, &FUZZ_FIXED] {
                counter.add(wide(amount));
            }
            Event::Counted(amount)
        }
        1 => {
            let quarters = choices.arbitrary()?;
            FUZZ_AMOUNT.add(f64::from(quarters) / 4.0);
            Event::Added(quarters)
        }
        2 => {
            FUZZ_EXTENT.set(choices.int_in_range(0..=2)?);
            Event::Sized
        }
        how => {
            let level = u64::from(choices.arbitrary::<u16>()?);
            match how {
                3 => FUZZ_USE.raise(level.saturating_sub(FUZZ_USE.get())),
                4 => FUZZ_USE.lower(FUZZ_USE.get().saturating_sub(level)),
                _ => FUZZ_USE.set(level),
            }
            Event::Leveled
        }
    })
}

/// The amount in a counter of 64 bits, whose upper half is used.
pub(super) fn wide(amount: u32) -> u64 {
    u64::from(amount) << 20
}
