//! Number and duration of the calls of each name, as performance variables. They are 0 while monitoring_time is off.

use std::sync::atomic::Ordering::Relaxed;

use mpit::cell::{Numbered, NumberedPvars};
use mpit::event::clock;
use mpit::pvar;
use mpit_format::calls::index_of_symbol;
use mpit_format::store::count_and_ticks;
use mpit_frameworks::calls::CallsMade;
use mpit_sync::log::Log;

use super::CallWords;

/// The words of all calls, with the index of their name. Appended to with the registry's lock.
static ALL: Log<(u32, &CallWords)> = Log::new();

/// Adds the words of calls of one name. The caller guarantees that no other thread does at the same time.
pub(super) fn add(call: u32, words: &'static CallWords) {
    // In a full list, the variables lack some calls.
    let _ = ALL.push((call, words));
}

/// Returns the number of calls of one name, and their ticks.
fn sum(call: u32) -> (u64, f64) {
    let of_call = ALL.iter().filter(|(of, _)| *of == call);
    of_call.fold((0, 0.0), |(count, ticks), (_, words)| {
        let (more, longer) = count_and_ticks(&words.each_ref().map(|word| word.load(Relaxed)));
        (count + more, ticks + longer)
    })
}

/// The number of calls of a name, by its index.
enum Count {}

impl NumberedPvars for Count {
    type Value = u64;

    fn value(call: u32) -> u64 {
        sum(call).0
    }
}

/// The duration of calls of a name, by its index.
enum Seconds {}

impl NumberedPvars for Seconds {
    type Value = f64;

    fn value(call: u32) -> f64 {
        sum(call).1 / clock::ticks_per_second() as f64
    }
}

/// Returns the cell of a call.
const fn of_call<F>(symbol: &str) -> Numbered<F> {
    match index_of_symbol(symbol) {
        Some(call) => Numbered::new(call),
        None => panic!("not a call of MPI"),
    }
}

/// Defines the COUNTER and the TIMER of each call that has them.
macro_rules! variables {
    ($($class:ident: $([$($name:ident)*] $($other:ident)*),+;)+) => {$($($(pastey::paste! {
        #[doc = concat!("Calls of MPI_", stringify!($name), ", unless monitoring_time is off.")]
        #[pvar(class = "COUNTER", verbosity = "USER_DETAIL", category = CallsMade)]
        static [<CALLS_MPI_ $name:upper _COUNT>]: Numbered<Count> = of_call(concat!("MPI_", stringify!($name)));

        #[doc = concat!("Time spent in MPI_", stringify!($name), ", summed over threads; an estimate if not all calls are measured.")]
        #[pvar(class = "TIMER", verbosity = "USER_DETAIL", category = CallsMade)]
        static [<CALLS_MPI_ $name:upper _SECONDS>]: Numbered<Seconds> = of_call(concat!("MPI_", stringify!($name)));
    })*)+)+};
}

mpit_format::for_each_call!(variables);
