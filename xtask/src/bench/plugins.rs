//! Time of loading a plug-in with 10000 variables while two threads read a variable, relative to `dlopen` of the same file, and
//! the slowest of the reads.

use std::fs;

use mpit_tests::launch::Job;
use mpit_tests::stacks::Stack;
use mpit_tests::{Context, Outcome, build};

use super::rounds::{self, Rounds};
use super::table::{Line, heading};
use super::{dist, on_each_stack};

/// A counter of mpit's that is bound to no object.
const VARIABLE: &str = "pml_monitoring_messages_total";

/// The maximum time of a load, in milliseconds.
const MOST: f64 = 20.0;

/// The maximum time of one read of 10000 during a load, relative to the same while nothing is loaded.
const SLOWER: f64 = 1.5;

pub(crate) fn run(pairs: u32) -> Outcome {
    let unit = "milliseconds; reads: nanoseconds, slowest of 10^4";
    heading("A plug-in of 10000 variables beside two readers", unit);
    on_each_stack(|stack| measure(stack, pairs))
}

fn measure(stack: &Stack, pairs: u32) -> Outcome {
    let plugin = build::plugin("large")?;
    // The same file would be loaded once.
    let copy = plugin.with_file_name("large_copy.so");
    fs::copy(&plugin, &copy).context(copy.display())?;
    let program = stack.compile("bench_plugins")?;
    let rounds = Rounds::run(pairs, &[()], |()| {
        let mut job = Job::plain(&[]).arg(dist::program("mpit")).args(["run", "--"]);
        job = stack.mpiexec(1).iter().fold(job, Job::arg);
        job = job.arg(&program).arg(&plugin).arg(&copy).arg(VARIABLE);
        job = stack.environment().iter().fold(job, |job, (name, value)| job.env(name, value));
        Ok(rounds::timings(job)?.0)
    })?;
    let of = |name| rounds.timings((), name);
    let line = |what: &str, timings: &[f64]| Line::new(stack.label(), what, timings);
    let (dlopen, load) = (of("dlopen")?, of("load")?);
    line("dlopen", &dlopen).print();
    line("mpit_plugin_load", &load).ratio(&load, &dlopen, "dlopen").at_most(MOST, "ms").print();
    let idle = of("idle reads")?;
    line("reads while nothing is loaded", &idle).print();
    for (name, what) in
        [("dlopen reads", "reads during dlopen"), ("load reads", "reads during mpit_plugin_load")]
    {
        let reads = of(name)?;
        let mut line = line(what, &reads).ratio(&reads, &idle, "idle");
        if name == "load reads" {
            let met = line.has_ratio_within(SLOWER);
            line = line.goal("<= 1.5", met);
        }
        line.print();
    }
    Ok(())
}
