//! Time of loading a plug-in with 10000 variables while two threads read a variable, relative to `dlopen` of the same file, and
//! the slowest of the reads.

use std::fs;

use mpit_tests::launch::Job;
use mpit_tests::stacks::Stack;
use mpit_tests::{Context, Outcome, build};

use super::rounds::{self, Rounds, Samples};
use super::table::Line;
use super::{Results, dist, on_each_stack};

/// A counter of mpit's that is bound to no object.
const VARIABLE: &str = "pml_monitoring_messages_total";

/// The maximum time of a load, in milliseconds.
const MOST: f64 = 20.0;

/// The maximum time of one read of 10000 during a load, relative to the same while nothing is loaded.
const SLOWER: f64 = 1.5;

pub(crate) fn run(pairs: u32, results: &mut Results) -> Outcome {
    let title =
        "A plug-in of 10000 variables beside two readers, and the time that one of 10000 reads exceeds";
    results.table.section(title, "ms");
    on_each_stack(results, |stack, results| measure(stack, pairs, results))
}

fn measure(stack: &Stack, pairs: u32, results: &mut Results) -> Outcome {
    let plugin = build::plugin("large")?;
    // The same file would be loaded once.
    let copy = plugin.with_file_name("large_copy.so");
    fs::copy(&plugin, &copy).context(copy.display())?;
    let program = stack.compile("bench_plugins")?;
    let rounds = Rounds::run(pairs, &[()], |()| {
        let mut job = Job::alone(stack).arg(dist::program("mpit")).args(["run", "--quiet", "--"]);
        job = job.args(stack.mpiexec(1)).args([&program, &plugin, &copy]).arg(VARIABLE);
        Ok(rounds::timings(job)?.0)
    })?;
    let of = |name| rounds.samples((), name);
    let line = |what: &str, samples: &Samples| Line::new(stack.label(), what, samples);
    let (dlopen, load) = (of("dlopen")?, of("load")?);
    let table = &mut results.table;
    table.add(line("dlopen", &dlopen));
    table.add(line("mpit_plugin_load", &load).floor(&dlopen, "dlopen").at_most(MOST, "ms"));
    let idle = of("idle reads")?;
    table.add(line("reads while nothing is loaded", &idle).unit("ns"));
    let beside_dlopen = of("dlopen reads")?;
    table.add(line("reads during dlopen", &beside_dlopen).unit("ns").beside(&idle, "idle"));
    let reads = line("reads during mpit_plugin_load", &of("load reads")?).unit("ns").beside(&idle, "idle");
    table.add(reads.floor(&beside_dlopen, "dlopen").within(SLOWER));
    Ok(())
}
