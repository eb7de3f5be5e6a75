//! `mpit pack`: writes the records of runs as tables, which need less space and are read faster.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use mpit_report::input::{self, Run};
use mpit_report::pack::{Packed, pack_all};
use mpit_report::records;

use crate::{Pack, print};

/// Packs each run.
pub(crate) fn pack(args: &Pack) -> Result<ExitCode, String> {
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
    if run.has_stores() {
        return Err(
            "some processes still run, or were killed and not recovered; `mpit report` reads their files"
                .into(),
        );
    }
    if !run.has_texts() {
        return Err("it has no files of processes".into());
    }
    let directory = tables_of(&run.path());
    let shown = directory.display();
    let packed = pack_all(run, &directory).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => format!("{shown} exists already; remove it to write it again"),
        _ => format!("cannot write {shown}: {error}"),
    })?;
    let Packed { processes, problems, more_problems, notes } = &packed;
    for note in notes {
        print(note);
    }
    for problem in problems {
        print(&problem.to_string());
    }
    if *more_problems > 0 {
        print(&format!("and {more_problems} more problems"));
    }
    print(&format!("wrote {shown}, of {processes} processes; read it with `mpit report {shown}`"));
    Ok(problems.is_empty())
}

/// Returns the directory of the tables of a run.
fn tables_of(stem: &Path) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(records::ENDING);
    name.into()
}
