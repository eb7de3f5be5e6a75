//! Cost that recording adds to calls of several threads at once.

use mpit_tests::Outcome;
use mpit_tests::stacks::Stack;

use super::calls::{Variant, run_program};
use super::plot::{FLAT, Kind};
use super::rounds::{Rounds, Samples};
use super::table::Line;
use super::{Results, on_each_stack};

/// The number of calls in a block.
const CALLS: &str = "500";

/// The numbers of threads. There may be fewer processors.
const THREADS: [u32; 5] = [1, 2, 4, 8, 16];

/// The maximum that recording adds to a call, in nanoseconds, and relative to the call.
const MOST: f64 = 8.0;
const SHARE: f64 = 0.05;

/// A call, by its name in the program.
struct Call {
    name: &'static str,
    is_plotted: bool,
    /// True if recording must not add more than `SHARE`.
    has_share: bool,
}

/// A message or an allreduce on the communicator of a thread, and a message on one communicator of all threads.
const MEASURED: [Call; 3] = [
    Call { name: "message", is_plotted: true, has_share: false },
    Call { name: "shared", is_plotted: false, has_share: true },
    Call { name: "allreduce", is_plotted: false, has_share: false },
];

static PLOT: Kind = Kind {
    file: "threads-message",
    title: "Recording a message on the communicator of a thread",
    of: "threads",
    cost: "ns of processor time that recording adds",
};

pub(crate) fn run(pairs: u32, results: &mut Results) -> Outcome {
    results.table.section("Calls of threads at once: processor time of a call", "ns");
    on_each_stack(results, |stack, results| {
        let rounds = THREADS.iter().map(|threads| measure(stack, *threads, pairs));
        let rounds = rounds.collect::<Outcome<Vec<_>>>()?;
        MEASURED.iter().try_for_each(|call| add_lines(stack, call, &rounds, results))
    })
}

fn measure(stack: &Stack, threads: u32, pairs: u32) -> Outcome<Rounds<Variant>> {
    let arguments = [&threads.to_string(), CALLS];
    Rounds::run(pairs, &[Variant::Plain, Variant::LeastOfThreads, Variant::Ours], |variant| {
        Ok(run_program(stack, "bench_threads", &arguments, variant)?.0)
    })
}

/// Adds the lines of a call, with the rounds of each number of threads.
fn add_lines(stack: &Stack, call: &Call, rounds: &[Rounds<Variant>], results: &mut Results) -> Outcome {
    let name = call.name;
    let mut first_ratio = None;
    for (rounds, threads) in rounds.iter().zip(THREADS) {
        let line = |what: &str, samples: &Samples| {
            Line::new(stack.label(), &format!("{name}, {threads} threads, {what}"), samples)
        };
        let plain = rounds.samples(Variant::Plain, name)?;
        let added = rounds.samples(Variant::Ours, name)?.above(&plain);
        let least = rounds.samples(Variant::LeastOfThreads, name)?.above(&plain);
        let mut of_added = line("recording adds", &added).beside(&plain, "the call").floor(&least, "least");
        of_added = if call.has_share {
            of_added.goal(MOST.min(SHARE * plain.best), format!("<= {MOST} ns, {SHARE} of the call"))
        } else {
            of_added.at_most(MOST, "ns")
        };
        if call.is_plotted {
            results.plots.add(&PLOT, stack.label(), threads.into(), of_added.best());
        }

        let tail = format!("{name}-p99");
        let plain_tail = rounds.samples(Variant::Plain, &tail)?;
        let tail = rounds.samples(Variant::Ours, &tail)?;
        let mut of_tail = line("p99, recording", &tail).beside(&plain_tail, "without");
        // The call itself gets slower with more threads than processors, so its growth is divided out. A ratio below 1 is noise.
        let ratio = f64::max(tail.best / plain_tail.best, 1.0);
        let first_ratio = *first_ratio.get_or_insert(ratio);
        if threads > 1 {
            let most = FLAT * first_ratio;
            of_tail = of_tail.goal(most * plain_tail.best, format!("<= {most:.2} of without"));
        }

        results.table.add(line("without mpit", &plain));
        results.table.add(of_added);
        results.table.add(of_tail);
    }
    Ok(())
}
