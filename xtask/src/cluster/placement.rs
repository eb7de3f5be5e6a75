//! The measured gains of placements by `mpit map`, beside the predicted ones.

use std::path::PathBuf;

use mpit_tests::cluster::placement::{PATTERNS, Placed, shape};
use mpit_tests::cluster::{Cluster, Session};
use mpit_tests::stacks::{self, Stack};
use mpit_tests::{Context, Outcome};

use crate::bench::rounds::Samples;
use crate::{document, setup};

/// The size of messages, and the steps of a run.
const BYTES: u32 = 1 << 20;
const STEPS: u32 = 12;

/// The MPI libraries.
const LABELS: [&str; 2] = ["ompi4.1.4", "mpich5.0.2"];

/// Options of `cargo xtask cluster placement`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The rate at which a host sends
    #[arg(long, value_name = "RATE", default_value = "100mbit")]
    bandwidth: String,
    /// The runs of each program with each placement
    #[arg(long, value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Write the table into this page
    #[arg(long, value_name = "PAGE")]
    document: Option<PathBuf>,
}

const COLUMNS: [&str; 9] = [
    "pattern",
    "library",
    "all nodes, MiB",
    "predicted gain",
    "busiest node, MiB",
    "predicted gain",
    "seconds",
    "measured gain",
    "beside that of the busiest node",
];

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    for problem in setup::cluster() {
        println!("cluster: could not get {problem}");
    }
    let session = Session::start_or_fail(&shape(Some(arguments.bandwidth.clone())))?;
    let mut table = document::head(&COLUMNS);
    for pattern in PATTERNS {
        for stack in stacks::found().stacks.iter().filter(|stack| LABELS.contains(&stack.label())) {
            let row = measure(session.cluster(), stack, pattern, arguments.rounds)
                .context(format!("{pattern} on {}", stack.label()))?;
            print!("{row}");
            table += &row;
        }
    }
    match &arguments.document {
        Some(page) => document::write_part(page, "gains", &table),
        None => Ok(()),
    }
}

/// Runs a program with both placements in turn, and returns the row of the table.
fn measure(cluster: &Cluster, stack: &Stack, pattern: &str, rounds: u32) -> Outcome<String> {
    let dir = stack.scratch("placement")?;
    let placed = Placed::plan(stack, cluster, &dir, pattern, BYTES, STEPS)?;
    let (mut now, mut after) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        now.push(placed.run_now()?.seconds);
        after.push(placed.run_placed()?.seconds);
    }
    let (now, after) = (Samples::of(now).median(), Samples::of(after).median());
    let (all, busiest) = (placed.prediction.between, placed.prediction.busiest);
    let gain = now / after;
    let mebibytes = |bytes: f64| bytes / f64::from(1 << 20);
    Ok(document::row(&[
        format!("`{pattern}`"),
        stack.label().into(),
        format!("{:.0} → {:.0}", mebibytes(all.now), mebibytes(all.after)),
        format!("{:.2}", all.gain()),
        format!("{:.0} → {:.0}", mebibytes(busiest.now), mebibytes(busiest.after)),
        format!("{:.2}", busiest.gain()),
        format!("{now:.2} → {after:.2}"),
        format!("{gain:.2}"),
        format!("{:+.0} %", 100.0 * (gain / busiest.gain() - 1.0)),
    ]))
}
