//! `mpit report`: reads the files of runs and writes reports.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mpit_components::output::write_whole;
use mpit_report::export::{self, Manifest, ReportTable, TableFile};
use mpit_report::input::{self, Run};
use mpit_report::matrix::{self, MAT_LIMIT, Selection, Value};
use mpit_report::{Job, Matrix, data, html, json, picture, summary};

use crate::pack::print_all;
use crate::rank_lists::ranks;
use crate::{Report, output, print};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Comma-separated tables
    Csv,
    /// A directory with the same tables as Parquet, which tools for many jobs read
    Parquet,
    /// Matrix Market: sparse matrices of bytes, messages, and bytes for each message
    Mtx,
    /// Dense matrices, with the file names of Open MPI's profile2mat
    Mat,
    /// A heat map as a vector image
    Svg,
    /// A heat map as a bitmap
    Png,
    /// A page with tables and heat map, without references to other files
    Html,
    /// Everything, for programs; docs/report.schema.json describes it
    Json,
}

/// Prints the reports, and writes the requested files, each of which it names.
pub(crate) fn report(args: &Report) -> Result<ExitCode, String> {
    let runs = selected(args)?;
    if !args.format.is_empty() {
        check_names(&runs)?;
        create_directory(&args.output)?;
    }
    for path in input::unfinished(&args.paths) {
        print(&format!("{} was not finished; remove it if no program is writing it", path.display()));
    }
    let mut is_understood = true;
    for (at, run) in runs.iter().enumerate() {
        let mut job = read(run);
        job.resolve_sites();
        let between = if at == 0 { "" } else { "\n" };
        let about = format!("{between}{}{}", run.path().display(), age_label(run));
        if !output_summary(about, &job, args.top)? {
            return Ok(ExitCode::SUCCESS);
        }
        print_problems(&job);
        is_understood &= job.problems.is_empty();
        if job.is_summary && !args.format.is_empty() {
            let path = run.path();
            print(&format!(
                "{} has only a summary: tables of ranks, pairs and communicators are empty",
                path.display()
            ));
        }
        for format in &args.format {
            write(*format, &job, run, args)?;
        }
    }
    if args.phase.is_empty() {
        name_other_worlds(&runs, &args.paths);
    }
    let sums = if args.phases { input::phases(&runs) } else { Vec::new() };
    for phases in &sums {
        let names: Vec<_> = phases.runs.iter().map(|run| run.stem()).collect();
        let about = format!("\n{}, sum of {}", phases.path().display(), names.join(", "));
        output_summary(about, &phases.read(), args.top)?;
    }
    Ok(if is_understood { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Prints the summary of a job behind a text about it. Returns false if the reader has closed the pipe.
fn output_summary(about: String, job: &Job, top: usize) -> Result<bool, String> {
    let mut text = about + ": ";
    let printed = summary::write(&mut text, job, top);
    debug_assert!(printed.is_ok(), "writing to a string cannot fail");
    output(&text)
}

/// Names the worlds of a run that are not shown, because the paths are files of one world.
fn name_other_worlds(runs: &[Run], paths: &[PathBuf]) {
    let is_shown = |other: &Run| runs.iter().any(|run| run.path() == other.path());
    for run in runs.iter().filter(|run| run.newer() == 0) {
        // A directory, and the beginning of names, stand for all worlds.
        let path = run.path();
        let is_for_all = |given: &PathBuf| Some(given.as_path()) == path.parent() || *given == path;
        if run.world() == 1 && paths.iter().any(is_for_all) {
            continue;
        }
        let Some((stem, mut others)) = input::other_worlds(run) else { continue };
        others.retain(|other| !is_shown(other));
        let names: Vec<_> = others.iter().map(|other| other.path().display().to_string()).collect();
        if !names.is_empty() {
            print(&format!(
                "{} is one of several worlds of its run; not shown: {}. `mpit report {}` shows all",
                run.path().display(),
                listed(&names),
                stem.display()
            ));
        }
    }
}

/// The maximum number of names in a message.
const MAX_LISTED: usize = 8;

fn listed(names: &[String]) -> String {
    let first = names.iter().take(MAX_LISTED).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > MAX_LISTED { format!("{first} and {} more", names.len() - MAX_LISTED) } else { first }
}

fn selected(args: &Report) -> Result<Vec<Run>, String> {
    let mut runs = input::find(&args.paths, args.phases).map_err(|error| error.to_string())?;
    if !args.phase.is_empty() {
        let all: Vec<_> = runs.iter().map(|run| run.stem().to_owned()).collect();
        if let Some(unknown) = args.phase.iter().find(|phase| !all.contains(phase)) {
            return Err(format!("there is no phase {unknown}; there are {}", all.join(", ")));
        }
        runs.retain(|run| args.phase.iter().any(|phase| phase == run.stem()));
    }
    Ok(runs)
}

/// Fails if two runs have the same name: files are named after runs, and go to one directory.
fn check_names(runs: &[Run]) -> Result<(), String> {
    let mut names = BTreeMap::new();
    for run in runs {
        if let Some(other) = names.insert(name(run), run.path()) {
            return Err(format!(
                "the files of {} and {} would have the same names; report them separately, with different --output",
                other.display(),
                run.path().display()
            ));
        }
    }
    Ok(())
}

/// Returns the age of a run among those of its name, if it is not the newest one.
fn age_label(run: &Run) -> String {
    match (run.newer(), run.identity()) {
        (0, _) => String::new(),
        (_, Some(identity)) => format!(" (an earlier run, of {})", identity.began),
        (_, None) => " (an earlier run)".into(),
    }
}

/// Returns the beginning of the names of a run's files. Monitoring without a name for its files writes `.<rank>.prof`.
fn name(run: &Run) -> String {
    let stem = if run.stem().is_empty() { "prof" } else { run.stem() };
    match run.newer() {
        0 => stem.into(),
        newer => format!("{stem}.earlier{newer}"),
    }
}

/// Prints notes and problems of the files of a run.
pub(crate) fn print_problems(job: &Job) {
    for note in &job.notes {
        print(note);
    }
    if !job.recovered.is_empty() {
        let ranks = ranks(&job.recovered);
        print(&format!("{ranks} ended without MPI_Finalize: recovered up to the last call"));
    }
    print_all(&job.problems, job.more_problems);
}

/// Reads a run. Shows the progress on a terminal if reading takes long.
pub(crate) fn read(run: &Run) -> Job {
    const DELAY: Duration = Duration::from_secs(1);
    if !io::stderr().is_terminal() {
        return run.read(&|_| ());
    }
    let bar = ProgressBar::with_draw_target(Some(run.bytes()), ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template("reading {wide_bar} {bytes} of {total_bytes}, {eta}") {
        bar.set_style(style);
    }
    let begin = Instant::now();
    let job = run.read(&|bytes| {
        bar.inc(bytes);
        if bar.is_hidden() && begin.elapsed() > DELAY {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    });
    bar.finish_and_clear();
    job
}

fn write(format: Format, job: &Job, run: &Run, args: &Report) -> Result<(), String> {
    let file = |ending: &str| args.output.join(format!("{}{ending}", name(run)));
    match format {
        Format::Csv => ReportTable::ALL.into_iter().try_for_each(|table| {
            create(&file(&format!("_{}.csv", table.as_str())), |out| export::write_csv(out, job, table))
        }),
        Format::Parquet => write_tables(job, &name(run), &file("")),
        Format::Mtx => each_matrix(job, &file, "mtx", |out, matrix, value| {
            matrix::write_mtx(out, matrix, job.size, value)
        }),
        Format::Mat if job.size > MAT_LIMIT => Err(format!(
            "a whole matrix of {} processes would be too large, {MAT_LIMIT} are possible; --format mtx is sparse",
            job.size
        )),
        Format::Mat if args.symmetric => each_matrix(job, &file, "mat", |out, matrix, value| {
            matrix::write_like_profile2mat(out, matrix, value)
        }),
        Format::Mat => each_matrix(job, &file, "mat", |out, matrix, value| {
            matrix::write_mat(out, matrix, job.size, value)
        }),
        Format::Svg => create(&file(".svg"), |out| picture::write_svg(out, job, &name(run))),
        Format::Png => create(&file(".png"), |out| picture::write_png(out, job, &name(run))),
        Format::Json => {
            create(&file(".json"), |out| data::write_json(out, &data::Report::of(job, &name(run))))
        }
        Format::Html => create(&file(".html"), |out| html::write(out, job, &name(run))),
    }
}

/// Writes the tables of a job into a directory. The manifest is written last, and an old one removed first: it is there if all tables of
/// the job are.
fn write_tables(job: &Job, name: &str, directory: &Path) -> Result<(), String> {
    if directory.file_name().is_none_or(|last| last != name) {
        return Err(format!(
            "the run's files are named {name:?}, which is no name for a directory with its tables"
        ));
    }
    let manifest = directory.join(Manifest::FILE);
    match fs::remove_file(&manifest) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(format!("cannot remove {}: {error}", manifest.display()));
        }
        _ => create_directory(directory)?,
    }
    let mut tables = Vec::new();
    for table in ReportTable::ALL {
        let mut rows = 0;
        create(&directory.join(TableFile::name_of(table)), |out| {
            rows = export::write_parquet(out, job, table, name)?;
            Ok(())
        })?;
        tables.push(TableFile::new(table, rows));
    }
    let described = Manifest::new(job, name, tables);
    create(&manifest, |out| json::write_pretty(out, &described))
}

fn each_matrix(
    job: &Job,
    file: &dyn Fn(&str) -> PathBuf,
    extension: &str,
    write: impl Fn(&File, &Matrix, Value) -> io::Result<()>,
) -> Result<(), String> {
    for selection in Selection::ALL {
        if let Some(matrix) = selection.of(job) {
            for value in Value::ALL {
                let path = file(&format!("_{}_{}.{extension}", value.as_str(), selection.as_str()));
                create(&path, |out| write(out, &matrix, value))?;
            }
        }
    }
    Ok(())
}

fn create_directory(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path)
        .map_err(|error| format!("cannot create the directory {}: {error}", path.display()))
}

fn create(path: &Path, write: impl FnOnce(&File) -> io::Result<()>) -> Result<(), String> {
    write_whole(path, write).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    output(&format!("written: {}\n", path.display())).map(drop)
}
