//! Cost that recording adds to calls of several threads at once.

use mpit_tests::Outcome;
use mpit_tests::stacks::Stack;

use super::calls::{Variant, run_program};
use super::on_each_stack;
use super::rounds::{Rounds, differences};
use super::table::{Line, heading};

/// The number of calls in a block.
const CALLS: &str = "500";

/// The numbers of threads. There may be fewer processors.
const THREADS: [u32; 5] = [1, 2, 4, 8, 16];

/// The maximum that recording adds to a call, in nanoseconds.
const MEASURED: [(&str, f64); 2] = [("message", 8.0), ("allreduce", 8.0)];

pub(crate) fn run(pairs: u32) -> Outcome {
    heading("Calls of threads at once, each on a communicator of its own", "nanoseconds of processor time");
    on_each_stack(|stack| THREADS.iter().try_for_each(|threads| measure(stack, *threads, pairs)))
}

fn measure(stack: &Stack, threads: u32, pairs: u32) -> Outcome {
    let arguments = [&threads.to_string(), CALLS];
    let rounds = Rounds::run(pairs, &[Variant::Plain, Variant::Ours], |variant| {
        Ok(run_program(stack, "bench_threads", &arguments, variant)?.0)
    })?;
    for (name, most) in MEASURED {
        let line = |what: &str, timings: &[f64]| {
            Line::new(stack.label(), &format!("{name}, {threads} threads, {what}"), timings)
        };
        let plain = rounds.timings(Variant::Plain, name)?;
        line("without mpit", &plain).print();
        let added = differences(&rounds.timings(Variant::Ours, name)?, &plain);
        line("recording adds", &added).ratio(&added, &plain, "without").at_most(most, "ns").print();
        let tail = format!("{name}-p99");
        let plain = rounds.timings(Variant::Plain, &tail)?;
        let ours = rounds.timings(Variant::Ours, &tail)?;
        line("p99, recording", &ours).ratio(&ours, &plain, "without").print();
    }
    Ok(())
}
