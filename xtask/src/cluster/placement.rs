//! The measured gains of placements by `mpit map`, beside the predicted ones.

mod workloads;

use std::path::PathBuf;

use mpit_tests::cluster::placement::{Placed, shape};
use mpit_tests::cluster::{Cluster, Session};
use mpit_tests::stacks;
use mpit_tests::{Context, Outcome};

use self::workloads::{Link, Workload};
use crate::bench::rounds::Samples;
use crate::{document, setup};

/// Options of `cargo xtask cluster placement`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The rate at which a host sends
    #[arg(long, value_name = "RATE", default_value = "100mbit")]
    bandwidth: String,
    /// The rate for programs that also compute, and would not wait for faster links
    #[arg(long, value_name = "RATE", default_value = "20mbit")]
    slow_bandwidth: String,
    /// The runs of each program with each placement
    #[arg(long, value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Measure only programs whose name contains this text
    #[arg(long, value_name = "TEXT", conflicts_with = "document")]
    only: Option<String>,
    /// Write the table into this page
    #[arg(long, value_name = "PAGE")]
    document: Option<PathBuf>,
}

const COLUMNS: [&str; 11] = [
    "program",
    "library",
    "links",
    "time in MPI",
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
    let is_wanted =
        |workload: &Workload| arguments.only.as_ref().is_none_or(|text| workload.name.contains(text));
    let workloads: Vec<_> = workloads::all().into_iter().filter(is_wanted).collect();
    let mut table = document::head(&COLUMNS);
    let mut left_out = Vec::new();
    for (link, rate) in [(Link::Fast, &arguments.bandwidth), (Link::Slow, &arguments.slow_bandwidth)] {
        let workloads: Vec<_> = workloads.iter().filter(|workload| workload.link == link).collect();
        if workloads.is_empty() {
            continue;
        }
        let session = Session::start_or_fail(&shape(Some(rate.clone())))?;
        for workload in workloads {
            let name = format!("{} on {}", workload.name, workload.library);
            match measure(session.cluster(), workload, rate, arguments.rounds).context(&name)? {
                Ok(row) => {
                    print!("{row}");
                    table += &row;
                }
                Err(reason) => left_out.push(format!("{name} ({reason})")),
            }
        }
    }
    if !left_out.is_empty() {
        let line = format!("\nLeft out: {}.\n", left_out.join(", "));
        print!("{line}");
        table += &line;
    }
    match &arguments.document {
        Some(page) => document::write_part(page, "gains", &table),
        None => Ok(()),
    }
}

/// Runs a program with both placements in turn, and returns the row of the table, or the reason why it cannot be run.
fn measure(
    cluster: &Cluster,
    workload: &Workload,
    rate: &str,
    rounds: u32,
) -> Outcome<Result<String, String>> {
    let found = stacks::found();
    let Some(stack) = found.stacks.iter().find(|stack| stack.label() == workload.library) else {
        let missing = found.missing.iter().find(|missing| missing.label == workload.library);
        return Ok(Err(missing.map_or("no such library", |missing| &missing.reason).into()));
    };
    let dir = stack.scratch("placement")?;
    let Some(program) = (workload.prepare)(stack, &dir)? else {
        return Ok(Err(format!("not installed, see `cargo xtask setup`: {}", workload.package)));
    };
    let placed = Placed::plan(stack, cluster, &dir, program)?;
    let (mut now, mut after) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        now.push(placed.run_now()?.seconds);
        after.push(placed.run_placed()?.seconds);
    }
    let (now, after) = (Samples::of(now).median(), Samples::of(after).median());
    Ok(Ok(row(workload, rate, &placed, now, after)))
}

/// Returns the row of a program that took these times.
fn row(workload: &Workload, rate: &str, placed: &Placed<'_>, now: f64, after: f64) -> String {
    let (all, busiest) = (placed.prediction.between, placed.prediction.busiest);
    let gain = now / after;
    let mebibytes = |bytes: f64| bytes / f64::from(1 << 20);
    document::row(&[
        workload.name.clone(),
        workload.library.into(),
        rate.into(),
        format!("{:.0} %", placed.in_mpi),
        format!("{:.0} → {:.0}", mebibytes(all.now), mebibytes(all.after)),
        format!("{:.2}", all.gain()),
        format!("{:.1} → {:.1}", mebibytes(busiest.now), mebibytes(busiest.after)),
        format!("{:.2}", busiest.gain()),
        format!("{now:.2} → {after:.2}"),
        format!("{gain:.2}"),
        format!("{:+.0} %", 100.0 * (gain / busiest.gain() - 1.0)),
    ])
}
