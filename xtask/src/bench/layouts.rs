//! Cost of recording a message in builds whose code is moved by some bytes: it must not depend on the lines of the caches that the
//! code shares with that of the MPI library.

use std::fs;

use mpit_tests::stacks::Stack;
use mpit_tests::{Context, Failure, Outcome};

use super::calls::{RECORDING_MESSAGES, Variant, run_program};
use super::rounds::Rounds;
use super::table::{Line, NANOSECONDS};
use super::{Results, dist, on_each_stack};

/// The number of calls in a block.
const CALLS: &str = "5000";

/// The bytes by which the code is moved. They differ in the place in a cache line, in the set of a cache and in the page.
const SHIFTS: [u32; 5] = [16, 1040, 2096, 3152, 4208];

pub(crate) fn run(pairs: u32, results: &mut Results) -> Outcome {
    results.table.section("Recording a message, in builds whose code is moved by some bytes", NANOSECONDS);
    for shift in SHIFTS {
        dist::build_moved(shift)?;
    }
    let [one, other] = [SHIFTS[0], SHIFTS[1]].map(|shift| fs::read(dist::moved_library(shift)));
    Failure::unless(one.context("a library")? != other.context("a library")?, || {
        "the builds are equal: the linker takes no script".into()
    })?;
    on_each_stack(results, |stack, results| measure(stack, pairs, results))
}

fn measure(stack: &Stack, pairs: u32, results: &mut Results) -> Outcome {
    let mut variants = vec![Variant::Plain];
    variants.extend(SHIFTS.map(Variant::Moved));
    let rounds = Rounds::run(pairs, &variants, |variant| {
        Ok(run_program(stack, "measured_calls", &["time", "single", CALLS], variant)?.0)
    })?;
    for (name, max) in RECORDING_MESSAGES {
        let plain = rounds.samples(Variant::Plain, name)?;
        for shift in SHIFTS {
            let added = rounds.samples(Variant::Moved(shift), name)?.above(&plain);
            let what = format!("{name}, moved by {shift}, recording adds");
            results.table.add(Line::new(stack.label(), &what, &added).at_most(max, "ns"));
        }
    }
    Ok(())
}
