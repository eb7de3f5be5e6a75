//! The time that mpit adds to the start and the end of jobs on all hosts, beside Open MPI's own monitoring and a profiler that gathers records at
//! rank 0.
//!
//! The processes are more than the machine has processors, so each figure is the time that all of them need together.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use mpit_tests::cluster::jobs::{by_launcher, run_while};
use mpit_tests::cluster::{Cluster, Session, Shape};
use mpit_tests::stacks::{self, Stack};
use mpit_tests::{Context, Failure, Job, Outcome};

use crate::bench::rounds::Samples;
use crate::bench::{calls, dist};
use crate::{document, setup};

const HOSTS: u8 = 4;

/// The time limit of a job, in seconds.
const LIMIT: u32 = 240;

/// Options of `cargo xtask cluster startup`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The processes of a job, and the jobs of each kind; repeat the option for several numbers
    #[arg(long = "jobs", value_name = "PROCESSES:JOBS", default_values = ["32:7", "256:3"], value_parser = numbers)]
    jobs: Vec<(u32, u32)>,
    /// The MPI libraries, by their names in the list of `cargo xtask setup`
    #[arg(long, value_name = "LIBRARY", default_values = ["ompi4.1.4", "mpich5.0.2"])]
    library: Vec<String>,
    /// Write the table into this page
    #[arg(long, value_name = "PAGE")]
    document: Option<PathBuf>,
}

fn numbers(text: &str) -> Result<(u32, u32), String> {
    let parsed =
        text.split_once(':').and_then(|(ranks, jobs)| Some((ranks.parse().ok()?, jobs.parse().ok()?)));
    parsed.filter(|(ranks, jobs)| *ranks > 0 && *jobs > 0).ok_or("expected two numbers, such as 32:7".into())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    /// Without mpit.
    Plain,
    /// Open MPI's own monitoring, which writes a file for each process.
    Native,
    /// A profiler that gathers the records of all processes at rank 0, as mpiP does.
    Gathered,
    /// mpit with the summary that it prints, and without files.
    Printed,
    /// mpit with a summary that the processes merge along a tree, in one file.
    Summary,
    /// mpit with its summary and a file for each process.
    Files,
    /// mpit with its summary and one file.
    OneFile,
    /// mpit behind the launcher, with a part of the tables for each node.
    Tables,
}

impl Variant {
    const ALL: [Self; 8] = [
        Self::Plain,
        Self::Native,
        Self::Gathered,
        Self::Printed,
        Self::Summary,
        Self::Files,
        Self::OneFile,
        Self::Tables,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Plain => "without mpit",
            Self::Native => "Open MPI's own monitoring, with files",
            Self::Gathered => "all records gathered at rank 0, as by mpiP",
            Self::Printed => "`mpit run`",
            Self::Summary => "`mpit run --summary`",
            Self::Files => "`mpit run --output`",
            Self::OneFile => "`mpit run --output --one-file`",
            Self::Tables => "`mpit run --output --tables`, behind the launcher",
        }
    }

    fn applies(self, stack: &Stack) -> bool {
        self != Self::Native || stack.is_open_mpi()
    }

    /// Returns a file that is there only if the job recorded what this variant is about; `None` for jobs without files.
    fn result(self) -> Option<&'static str> {
        match self {
            Self::Plain | Self::Printed => None,
            Self::Native => Some("native/run.0.prof"),
            Self::Gathered => Some("gathered.txt"),
            Self::Summary => Some("summary/run.summary"),
            Self::Files => Some("files/run.0.prof"),
            Self::OneFile => Some("one/run.prof"),
            // Written by the node that finds all processes in the parts.
            Self::Tables => Some("tables/run.tables/manifest.json"),
        }
    }

    /// Returns the job with this variant's part of the command line.
    fn job(self, stack: &Stack, cluster: &Cluster, ranks: u32, program: &Path) -> Outcome<Job> {
        let launcher = by_launcher(stack, cluster, ranks, ranks.div_ceil(u32::from(HOSTS))).seconds(LIMIT);
        let mpit = dist::program("mpit").display().to_string();
        let line = |options: &'static [&'static str]| [&[mpit.as_str(), "run"], options, &["--"]].concat();
        let in_front = |job: Job, options: &'static [&'static str]| job.arg(program).within(&line(options));
        Ok(match self {
            Self::Plain => launcher.arg(program),
            Self::Native => {
                let settings = [
                    ("pml_monitoring_enable", "2"),
                    ("pml_monitoring_enable_output", "3"),
                    ("pml_monitoring_filename", "native/run"),
                ];
                launcher.native_monitoring(&settings).arg(program)
            }
            Self::Gathered => {
                // For the program alone, not for the launcher.
                let library = calls::preloaded(stack, "gathered_calls", "gathered_calls.so", &[])?;
                let variable = format!("LD_PRELOAD={}", library.display());
                launcher.args(["/usr/bin/env", &variable]).arg(program)
            }
            Self::Printed => in_front(launcher, &[]),
            Self::Summary => in_front(launcher, &["--summary", "summary/run"]),
            Self::Files => in_front(launcher, &["--output", "files/run"]),
            Self::OneFile => in_front(launcher, &["--output", "one/run", "--one-file"]),
            Self::Tables => launcher.args(line(&["--output", "tables/run", "--tables"])).arg(program),
        })
    }
}

/// The times of a job, in seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// From the start of the first process to the last return from `MPI_Init`.
    init: f64,
    /// From the last return from `MPI_Init` to the last return from `MPI_Finalize`.
    finalize: f64,
    /// The job with its launcher.
    job: f64,
    /// The processor time of a process, on average.
    processor: f64,
}

const COLUMNS: [&str; 7] = [
    "library",
    "processes",
    "jobs",
    "`MPI_Init`, s",
    "`MPI_Finalize`, s",
    "job, s",
    "processor time of a process, ms",
];

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    check_libraries(&arguments.library)?;
    for problem in setup::cluster() {
        println!("cluster: could not get {problem}");
    }
    dist::build(&[dist::LIBRARY, dist::COMMAND])?;
    let session = Session::start_or_fail(&Shape { hosts: HOSTS, latency: None, bandwidth: None })?;
    // Otherwise a job starts the later the more connections those before it had: 69 seconds instead of 41 for 256 processes on MPICH.
    session.cluster().keep_no_closed_connections()?;
    let mut table = document::head(&COLUMNS);
    for (ranks, jobs) in &arguments.jobs {
        for stack in stacks::found()
            .stacks
            .iter()
            .filter(|one| arguments.library.iter().any(|name| name == one.label()))
        {
            table += &measure(session.cluster(), stack, *ranks, *jobs)
                .context(format!("{ranks} processes on {}", stack.label()))?;
        }
    }
    table.push('\n');
    table.push_str(&note(&arguments.jobs));
    match &arguments.document {
        Some(page) => document::write_part(page, "startup", &table),
        None => Ok(()),
    }
}

/// Fails if a library is not there: without its rows, the table would replace that of the page.
fn check_libraries(names: &[String]) -> Outcome {
    for name in names {
        let is_there = stacks::found().stacks.iter().any(|one| one.label() == name);
        Failure::unless(is_there, || format!("--library {name}: not installed; run `cargo xtask setup`"))?;
    }
    Ok(())
}

/// Returns the sentence about the numbers of a table.
fn note(jobs: &[(u32, u32)]) -> String {
    let parts: Vec<_> = jobs
        .iter()
        .map(|(ranks, jobs)| format!("{jobs} job{} of {ranks} processes", if *jobs == 1 { "" } else { "s" }))
        .collect();
    format!("Each number is the median of {}.", parts.join(", or of "))
}

/// Runs jobs of all kinds in turn, and returns a row for each kind.
fn measure(cluster: &Cluster, stack: &Stack, ranks: u32, jobs: u32) -> Outcome<String> {
    let program = stack.compile("init_finalize")?;
    let variants: Vec<_> = Variant::ALL.into_iter().filter(|variant| variant.applies(stack)).collect();
    let mut times = vec![Vec::new(); variants.len()];
    for _ in 0..jobs {
        for (variant, times) in variants.iter().zip(&mut times) {
            // Behind a launcher, tables are not replaced, so each job has an empty directory.
            let dir = stack.scratch("startup")?;
            fs::create_dir(dir.join("native")).context("native")?;
            let job = variant.job(stack, cluster, ranks, &program)?;
            let one = times_of(cluster, job, &dir, ranks, variant.result()).context(variant.name())?;
            eprintln!("{} {ranks} {}: {one:?}", stack.label(), variant.name());
            times.push(one);
        }
    }
    let median =
        |times: &[Times], figure: fn(&Times) -> f64| Samples::of(times.iter().map(figure).collect()).median();
    let mut rows = String::new();
    for (variant, these) in variants.iter().zip(&times) {
        let cell = |figure: fn(&Times) -> f64, factor: f64, digits: usize| {
            let (this, plain) = (factor * median(these, figure), factor * median(&times[0], figure));
            let change = if *variant == Variant::Plain {
                String::new()
            } else {
                format!(" ({:+.digits$})", this - plain)
            };
            format!("{this:.digits$}{change}")
        };
        let row = document::row(&[
            stack.label().into(),
            ranks.to_string(),
            variant.name().into(),
            cell(|times| times.init, 1.0, 2),
            cell(|times| times.finalize, 1.0, 2),
            cell(|times| times.job, 1.0, 2),
            cell(|times| times.processor, 1000.0, 0),
        ]);
        print!("{row}");
        rows += &row;
    }
    Ok(rows)
}

/// Runs a job, which must leave the file `result`, and returns its times.
fn times_of(cluster: &Cluster, job: Job, dir: &Path, ranks: u32, result: Option<&str>) -> Outcome<Times> {
    let begin = Instant::now();
    let finished = run_while(cluster, job, dir, || Ok(()))?;
    let job = begin.elapsed().as_secs_f64();
    finished.expect(finished.code == Some(0))?;
    let lines: Vec<_> = finished.stdout.lines().filter_map(parse).collect();
    Failure::unless(lines.len() == ranks as usize, || format!("{} lines\n{finished}", lines.len()))?;
    if let Some(result) = result {
        Failure::unless(dir.join(result).exists(), || format!("{result} is missing\n{finished}"))?;
    }
    Ok(Times { job, ..summary(&lines) })
}

/// Parses a line of [`init_finalize.c`](../../../tests/hosts/c/init_finalize.c).
fn parse(line: &str) -> Option<[f64; 4]> {
    let numbers: Option<Vec<f64>> =
        line.strip_prefix("times ")?.split(' ').map(|number| number.parse().ok()).collect();
    numbers?.try_into().ok()
}

fn summary(lines: &[[f64; 4]]) -> Times {
    let first = |at: usize| lines.iter().map(|line| line[at]).fold(f64::INFINITY, f64::min);
    let last = |at: usize| lines.iter().map(|line| line[at]).fold(0.0, f64::max);
    let processor = lines.iter().map(|line| line[3]).sum::<f64>() / lines.len() as f64;
    Times { init: last(1) - first(0), finalize: last(2) - last(1), job: 0.0, processor }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_processes_are_summed_up() {
        let lines = ["times 1.0 3.0 6.0 1.0", "times 2.0 4.0 6.5 2.0"].map(|line| parse(line).unwrap());
        let times = summary(&lines);
        assert_eq!((times.init, times.finalize, times.processor), (3.0, 2.5, 1.5));
        assert_eq!(parse("times 1.0"), None);
        assert_eq!(numbers("32:7"), Ok((32, 7)));
        let jobs = [(32, 7), (256, 1)];
        assert_eq!(
            note(&jobs),
            "Each number is the median of 7 jobs of 32 processes, or of 1 job of 256 processes."
        );
        assert!(numbers("32").is_err() && numbers("0:1").is_err());
    }
}
