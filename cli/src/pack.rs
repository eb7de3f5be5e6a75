//! `mpit pack`: writes the records of runs as tables, which need less space and are read faster.

use std::io::ErrorKind;
use std::process::ExitCode;

use mpit_report::input::{self, Run};
use mpit_report::pack::{self, Packed, pack_all};
use mpit_report::{Problem, records};

use crate::rank_lists::rank_ranges;
use crate::{Pack, print};

/// The maximum number of ranges of ranks that are printed.
const MAX_RANGES: usize = 20;

/// Packs each run.
pub(crate) fn pack(args: &Pack) -> Result<ExitCode, String> {
    let mut names = args.paths.iter().map(|path| path.to_string_lossy());
    if let Some(name) = names.find(|name| name.trim_end_matches('/').ends_with(records::ENDING)) {
        return Err(format!(
            "{name}: leave out the end of the name, {}: the files beside the tables belong to them",
            records::ENDING
        ));
    }
    let runs = input::find(&args.paths, true).map_err(|error| error.to_string())?;
    let mut code = ExitCode::SUCCESS;
    for run in &runs {
        let is_whole = pack_run(run).unwrap_or_else(|why| {
            print(&format!("{}: {why}", run.path().display()));
            false
        });
        if !is_whole {
            code = ExitCode::from(1);
        }
    }
    Ok(code)
}

/// Writes the tables of a run. Returns true if they have all that its files have.
fn pack_run(run: &Run) -> Result<bool, String> {
    if run.newer() > 0 {
        return Err(
            "these files are of an earlier run, and the newer one has the name; move one of them".into()
        );
    }
    if run.has_tables()
        && let Some(is_whole) = finish_tables(run)?
    {
        return Ok(is_whole);
    }
    if run.has_stores() {
        return Err(
            "some processes still run, or were killed and not recovered; `mpit report` reads their files"
                .into(),
        );
    }
    if !run.has_texts() {
        return Err("it has no files of processes".into());
    }
    let directory = records::tables_of(&run.path());
    let shown = directory.display();
    let packed = pack_all(run, &directory).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => format!("{shown} exists already; remove it to write it again"),
        _ => format!("cannot write {shown}: {error}"),
    })?;
    print_result(&packed);
    let processes = packed.processes;
    print(&format!("wrote {shown}, of {processes} processes; read it with `mpit report {shown}`"));
    Ok(packed.problems.is_empty())
}

/// Finishes the tables that nodes of a job have begun. Returns true if they have all that the job's files have; `None` if they are finished and
/// lack no file.
fn finish_tables(run: &Run) -> Result<Option<bool>, String> {
    let directory = records::tables_of(&run.path());
    let shown = directory.display();
    let packed = match pack::finish(run) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(None),
        packed => packed.map_err(|error| format!("cannot finish {shown}: {error}"))?,
    };
    print_result(&packed);
    let added = match packed.processes {
        0 => String::new(),
        1 => ", with 1 process that had a file".into(),
        many => format!(", with {many} processes that had files"),
    };
    print(&format!("finished {shown}{added}; read it with `mpit report {shown}`"));
    let missing = &packed.missing;
    if !missing.is_empty() {
        let more = if missing.len() > MAX_RANGES { " and others" } else { "" };
        let first = &missing[..missing.len().min(MAX_RANGES)];
        print(&format!("{shown} has no records of {}{more}", rank_ranges(first)));
    }
    if !packed.missing_nodes.is_empty() {
        print(&format!("{shown} has no records of these nodes: {}", packed.missing_nodes.join(", ")));
    }
    Ok(Some(packed.problems.is_empty()))
}

/// Prints the notes and problems of packed files.
pub(crate) fn print_result(packed: &Packed) {
    for note in &packed.notes {
        print(note);
    }
    print_all(&packed.problems, packed.more_problems);
}

/// Prints the first problems of files, and the number of further ones.
pub(crate) fn print_all(problems: &[Problem], more: u64) {
    for problem in problems {
        print(&problem.to_string());
    }
    if more > 0 {
        print(&format!("and {more} more problems"));
    }
}

/// Removes the files of which tables have all.
pub(crate) fn remove_files(packed: &Packed) {
    for file in &packed.files {
        let path = file.path().display();
        match file.remove() {
            Ok(true) => (),
            Ok(false) => print(&format!("{path} was replaced meanwhile: the new file stays")),
            Err(error) => print(&format!("cannot remove {path}, which is in the tables: {error}")),
        }
    }
}
