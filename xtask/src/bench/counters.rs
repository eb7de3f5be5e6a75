//! Cost of a counter to the code around it, relative to the processor's plain instructions.

use mpit_tests::{Outcome, launch::Job};

use super::rounds::{self, Rounds};
use super::table::{Line, NANOSECONDS};
use super::{Results, dist};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    /// The program `counters`.
    Rust,
    /// `bench_counters.c`, with the inline functions of `mpit_plugin.h`.
    C,
}

use Language::{C, Rust};

const FIGURES: [(Language, &str, &str); 7] = [
    (Rust, "disabled", "Counter::increment, no handle started"),
    (Rust, "enabled", "the same with a handle, one thread"),
    (Rust, "concurrent", "the same with a handle, many threads"),
    (C, "disabled", "mpit_counter_add in C, no handle started"),
    (C, "enabled", "the same with a handle, one thread"),
    (C, "concurrent", "the same with a handle, many threads"),
    (Rust, "fetch_add", "AtomicU64::fetch_add"),
];

/// The maximum cost of a counter without a started handle, in nanoseconds.
const DISABLED: f64 = 0.3;

pub(crate) fn run(pairs: u32, results: &mut Results) -> Outcome {
    results.table.section("A counter in a loop", NANOSECONDS);
    let programs = [dist::program("counters"), dist::c_program("bench_counters")?];
    let rounds = Rounds::run(pairs, &[Rust, C], |language| {
        Ok(rounds::timings(Job::plain(&[]).arg(&programs[language as usize]))?.0)
    })?;
    let empty = |language| rounds.samples(language, "loop");
    results.table.add(Line::new("", "the loop alone", &empty(Rust)?));
    let peer = rounds.samples(Rust, "fetch_add")?.above(&empty(Rust)?);
    for (language, name, what) in FIGURES {
        let added = rounds.samples(language, name)?.above(&empty(language)?);
        let mut line = Line::new("adds", what, &added).beside(&peer, "fetch_add");
        if name == "disabled" {
            if language == C {
                line = line.floor(&rounds.samples(C, "branch")?.above(&empty(C)?), "branch");
            }
            line = line.at_most(DISABLED, "ns");
        }
        results.table.add(line);
    }
    Ok(())
}
