//! The time and memory of reports about large jobs, and the size of what they read and write.

use std::fs;
use std::path::Path;

use mpit_tests::launch::Job;
use mpit_tests::{Context, Outcome};

use super::{SIDES, mebibytes, size_of, write_jobs};
use crate::bench::{dist, rounds};
use crate::document;

/// The largest cube whose ranks also exchange data with all.
const LARGEST_COLLECTIVE: u32 = 47;

/// The columns of the table of records.
const RECORDS: [&str; 10] = [
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

/// The formats of files that are measured, with the names of their columns.
const FORMATS: [(&str, &str); 2] = [("html", "page"), ("png", "picture")];

/// Returns the tables of records and of the files that reports write, with their names in the page.
pub(super) fn measure(directory: &Path) -> Outcome<Vec<(&'static str, String)>> {
    dist::build(&[dist::COMMAND])?;
    let mut records = document::head(&RECORDS);
    let mut written = head_of_written();
    let with_collectives = SIDES.iter().filter(|side| **side <= LARGEST_COLLECTIVE);
    let jobs = SIDES.iter().map(|side| (side, "stencil3d"));
    for (side, pattern) in jobs.chain(with_collectives.map(|side| (side, "collective"))) {
        let files = directory.join(format!("{pattern}{side}"));
        records += &measure_records(side.pow(3), pattern, &files)?;
        written += &measure_written(side.pow(3), pattern, &files)?;
        fs::remove_dir_all(&files).context(files.display())?;
    }
    Ok(vec![("simulated", records), ("written", written)])
}

/// Returns the first cell of a line about a job.
fn name(ranks: u32, pattern: &str) -> String {
    if pattern == "collective" { format!("{ranks}, collective") } else { ranks.to_string() }
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.1}")
}

/// Returns the line about the records of a job, and leaves their tables alone.
fn measure_records(ranks: u32, pattern: &str, files: &Path) -> Outcome<String> {
    write_jobs(ranks, pattern, 1, files)?;
    let name = name(ranks, pattern);
    let (is_collective, ranks) = (pattern == "collective", u64::from(ranks));
    let pairs = ranks * 26 + if is_collective { ranks * (ranks - 1) } else { 0 };
    let file = size_of(&files.join("job000000.prof"))?;
    let (of_file, peak) = report(files)?;
    let (packing, _) = measured(&["pack", &files.display().to_string()])?;
    let packed = files.join("job000000.prof");
    fs::remove_file(&packed).context(packed.display())?;
    let tables = size_of(files)?;
    let (of_tables, peak_of_tables) = report(files)?;
    Ok(document::row(&[
        name,
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

fn head_of_written() -> String {
    let of_format = |(format, name): (&str, &str)| {
        [format!("`--format {format}`, s"), "peak memory, MiB".into(), format!("{name}, KiB")]
    };
    let columns: Vec<_> =
        ["ranks".to_owned()].into_iter().chain(FORMATS.into_iter().flat_map(of_format)).collect();
    document::head(&columns.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns the line about the files that reports about the tables of a job write.
fn measure_written(ranks: u32, pattern: &str, files: &Path) -> Outcome<String> {
    let mut cells = vec![name(ranks, pattern)];
    for (format, _) in FORMATS {
        let output = files.with_extension(format);
        let words = [files, &output].map(|path| path.display().to_string());
        let (taken, peak) = measured(&["report", &words[0], "--format", format, "--output", &words[1]])?;
        let kibibytes = size_of(&output)? as f64 / 1024.0;
        fs::remove_dir_all(&output).context(output.display())?;
        cells.extend([seconds(taken), format!("{peak:.0}"), format!("{kibibytes:.0}")]);
    }
    Ok(document::row(&cells))
}

fn report(files: &Path) -> Outcome<(f64, f64)> {
    measured(&["report", &files.display().to_string()])
}

/// The seconds that a command may need: heat maps look at each of 10^10 pairs.
const LIMIT: u32 = 1800;

/// Returns the elapsed seconds of a command of mpit, and its largest memory in MiB.
fn measured(words: &[&str]) -> Outcome<(f64, f64)> {
    let job = Job::plain(&[]).seconds(LIMIT).arg(dist::c_program("bench_process")?).arg("peak");
    let (timings, _) = rounds::timings(job.arg(dist::program("mpit")).args(words))?;
    let of = |name| timings.get(name).copied().context(name);
    Ok((of("elapsed")?, of("peak")?))
}
