//! Files of jobs that never ran, and the time and memory that reports about large ones, or questions about many, need.

mod fleet;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;
use mpit_tests::launch::Job;
use mpit_tests::{Context, Failure, Outcome, build, paths};

use crate::bench::{dist, rounds};
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
        let (name, table) = match part {
            Part::End => ("summaries", measure_end()?),
            Part::Reports => ("simulated", measure(&paths::scratch("reports", "simulated")?)?),
            Part::Fleet => ("fleet", fleet::measure(arguments.jobs.unwrap_or(fleet::JOBS))?),
        };
        println!("{table}");
        if let Some(page) = &arguments.document {
            document::write_part(page, name, &table)?;
        }
    }
    Ok(())
}

fn example() -> Command {
    cargo(&["run", "--release", "--quiet", "-p", "mpit-report", "--example", "simulate", "--"])
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

/// The largest cube whose ranks also exchange data with all.
const LARGEST_COLLECTIVE: u32 = 47;

const COLUMNS: [&str; 10] = [
    "ranks",
    "pairs",
    "file, MiB",
    "`mpit report`, s",
    "peak memory, MiB",
    "`mpit pack`, s",
    "tables, MiB",
    "bytes for each pair",
    "`mpit report` of tables, s",
    "peak memory, MiB",
];

fn measure(directory: &Path) -> Outcome<String> {
    dist::build(&["mpit-cli"])?;
    let mut table = document::head(&COLUMNS);
    let with_collectives = SIDES.iter().filter(|side| **side <= LARGEST_COLLECTIVE);
    let jobs = SIDES.iter().map(|side| (side, "stencil3d"));
    for (side, pattern) in jobs.chain(with_collectives.map(|side| (side, "collective"))) {
        table += &measure_job(side.pow(3), pattern, &directory.join(format!("{pattern}{side}")))?;
    }
    Ok(table)
}

/// Returns the line about a job.
fn measure_job(ranks: u32, pattern: &str, files: &Path) -> Outcome<String> {
    write_jobs(ranks, pattern, 1, files)?;
    let (is_collective, ranks) = (pattern == "collective", u64::from(ranks));
    let pairs = ranks * 26 + if is_collective { ranks * (ranks - 1) } else { 0 };
    let file = size_of(&files.join("job000000.prof"))?;
    let seconds = |seconds: f64| format!("{seconds:.1}");
    let (of_file, peak) = report(files)?;
    let (packing, _) = measured(&["pack", &files.display().to_string()])?;
    let packed = files.join("job000000.prof");
    fs::remove_file(&packed).context(packed.display())?;
    let tables = size_of(files)?;
    let (of_tables, peak_of_tables) = report(files)?;
    fs::remove_dir_all(files).context(files.display())?;
    Ok(document::row(&[
        if is_collective { format!("{ranks}, collective") } else { ranks.to_string() },
        pairs.to_string(),
        mebibytes(file),
        seconds(of_file),
        format!("{peak:.0}"),
        seconds(packing),
        mebibytes(tables),
        format!("{:.1}", tables as f64 / pairs as f64),
        seconds(of_tables),
        format!("{peak_of_tables:.0}"),
    ]))
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / f64::from(1 << 20))
}

fn report(files: &Path) -> Outcome<(f64, f64)> {
    measured(&["report", &files.display().to_string()])
}

/// Returns the elapsed seconds of a command of mpit, and its largest memory in MiB.
fn measured(words: &[&str]) -> Outcome<(f64, f64)> {
    let job = Job::plain(&[]).seconds(600).arg(dist::c_program("bench_process")?).arg("peak");
    let (timings, _) = rounds::timings(job.arg(dist::program("mpit")).args(words))?;
    let of = |name| timings.get(name).copied().context(name);
    Ok((of("elapsed")?, of("peak")?))
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
