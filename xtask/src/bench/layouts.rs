//! Cost of recording a message in builds whose code is moved by some bytes: it must not depend on the lines of the caches that the
//! code shares with that of the MPI library.

use std::fs;

use mpit_tests::stacks::Stack;
use mpit_tests::{Context, Failure, Outcome};

use super::calls::{RECORDING_MESSAGES, Variant, run_program};
use super::rounds::{Rounds, Samples};
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
    variants.extend(SHIFTS.map(Variant::LeastMoved));
    variants.extend(SHIFTS.map(Variant::Moved));
    let rounds = Rounds::run(pairs, &variants, |variant| {
        Ok(run_program(stack, "measured_calls", &["time", "single", CALLS], variant)?.0)
    })?;
    for (name, max) in RECORDING_MESSAGES {
        let plain = rounds.samples(Variant::Plain, name)?;
        let line = |what: &str, samples: &Samples| {
            Line::new(stack.label(), &format!("{name}, {what}, recording adds"), samples)
        };
        let added = |variant: fn(u32) -> Variant| -> Outcome<Vec<Samples>> {
            let of = |shift| Ok(rounds.samples(variant(shift), name)?.above(&plain));
            SHIFTS.into_iter().map(of).collect()
        };
        let (least, ours) = (added(Variant::LeastMoved)?, added(Variant::Moved)?);
        for ((shift, least), ours) in SHIFTS.iter().zip(&least).zip(&ours) {
            results.table.add(line(&format!("moved by {shift}"), ours).floor(least, "least"));
        }
        // A place is good for one library and bad for another, so those of all builds are compared.
        let [least, ours] = [least, ours].map(|all| Samples::of(all.iter().map(|one| one.best).collect()));
        for (what, of) in [
            ("median of all builds", Samples::median as fn(&Samples) -> f64),
            ("greatest of all builds", Samples::max),
        ] {
            let [least, ours] = [&least, &ours].map(|all| Samples::of(vec![of(all)]));
            results.table.add(line(what, &ours).floor(&least, "least").at_most(max, "ns"));
        }
    }
    Ok(())
}
