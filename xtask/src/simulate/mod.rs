//! Files of jobs that never ran, and the time and memory that reports about large ones, or questions about many, need.

mod fleet;
mod reports;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;
use mpit_tests::{Context, Failure, Outcome, build, paths};

use crate::{cargo, document};

/// The jobs to make or to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Number of ranks of each job; for stencil3d a cube, such as 1000
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    ranks: u32,

    /// Pairs that communicate: stencil3d with 26 peers, collective with these and with all in collective operations, random with up to
    /// 26, or alltoall
    #[arg(long, default_value = "stencil3d")]
    pattern: String,

    /// Number of jobs, by default 1, or 100000 to be measured as a fleet
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,

    /// Directory for the files
    #[arg(long, default_value = "simulated", value_name = "DIR")]
    output: PathBuf,

    /// Measure instead: the end of jobs of 1000 to 1000000 ranks, reports about them, or questions about a fleet of jobs; without a
    /// name all of these
    #[arg(long, conflicts_with_all = ["ranks", "pattern", "output"], num_args = 0.., value_name = "PART")]
    measure: Option<Vec<Part>>,

    /// Write the measurements into this page
    #[arg(long, value_name = "PAGE", requires = "measure")]
    document: Option<PathBuf>,
}

/// The parts of a measurement.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
enum Part {
    End,
    Reports,
    Fleet,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Some(parts) = &arguments.measure else {
        return write_jobs(
            arguments.ranks,
            &arguments.pattern,
            arguments.jobs.unwrap_or(1),
            &arguments.output,
        );
    };
    let parts = if parts.is_empty() { Part::value_variants() } else { parts };
    Failure::unless(arguments.jobs.is_none() || parts.contains(&Part::Fleet), || {
        "only a fleet has a number of jobs".into()
    })?;
    for part in parts {
        let tables = match part {
            Part::End => vec![("summaries", measure_end()?)],
            Part::Reports => reports::measure(&paths::scratch("reports", "simulated")?)?,
            Part::Fleet => vec![("fleet", fleet::measure(arguments.jobs.unwrap_or(fleet::JOBS))?)],
        };
        for (name, table) in tables {
            println!("{table}");
            if let Some(page) = &arguments.document {
                document::write_part(page, name, &table)?;
            }
        }
    }
    Ok(())
}

fn example() -> Command {
    cargo(&["run", "--release", "--quiet", "-p", "mpit-placement", "--example", "simulate", "--"])
}

/// Returns the cost of merging the summaries of jobs at their end.
fn measure_end() -> Outcome<String> {
    const COLUMNS: [&str; 5] = [
        "ranks",
        "sent by a process, KiB, mean",
        "at most",
        "file, KiB",
        "texts and merges on the longest path, ms",
    ];
    let mut table = document::head(&COLUMNS);
    for side in SIDES {
        let [line, _] = build::run(example().args(["end", &side.pow(3).to_string()]))?;
        let fields: Vec<f64> = line.split_whitespace().filter_map(|field| field.parse().ok()).collect();
        let [ranks, mean, most, file, path] = fields[..] else {
            return Err(Failure::new(format!("the example printed {line}")));
        };
        let kibibytes = |bytes: f64| format!("{:.1}", bytes / 1024.0);
        table += &document::row(&[
            format!("{ranks}"),
            kibibytes(mean),
            kibibytes(most),
            kibibytes(file),
            format!("{path:.1}"),
        ]);
    }
    Ok(table)
}

fn write_jobs(ranks: u32, pattern: &str, jobs: u32, directory: &Path) -> Outcome {
    let mut example = example();
    example.args([&ranks.to_string(), pattern, &jobs.to_string()]).arg(directory);
    build::run(&mut example).map(drop)
}

/// The sides of the cubes of ranks: from 1000 to 1000000.
const SIDES: [u32; 4] = [10, 22, 47, 100];

fn mebibytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / f64::from(1 << 20))
}

/// Returns the size of a file, or of all files below a directory.
fn size_of(path: &Path) -> Outcome<u64> {
    files_below(path, &|_| true).map(|files| files.bytes)
}

/// Some files below a directory.
#[derive(Clone, Copy, Debug, Default)]
struct Files {
    number: u64,
    bytes: u64,
}

/// Returns a file, or those below a directory, that are selected.
fn files_below(path: &Path, is_selected: &dyn Fn(&Path) -> bool) -> Outcome<Files> {
    let about = fs::metadata(path).context(path.display())?;
    if !about.is_dir() {
        let number = u64::from(is_selected(path));
        return Ok(Files { number, bytes: number * about.len() });
    }
    let mut sum = Files::default();
    for entry in fs::read_dir(path).context(path.display())? {
        let below = files_below(&entry.context(path.display())?.path(), is_selected)?;
        sum.number += below.number;
        sum.bytes += below.bytes;
    }
    Ok(sum)
}
