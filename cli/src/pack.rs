//! `mpit pack`: packs the files of runs into tables, which need less space and are read faster.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use mpit_report::input::{self, Run};
use mpit_report::pack::Packed;
use mpit_report::records::{self, Claim, JobTables};

use crate::run::ranks;
use crate::{Pack, print};

/// Packs each run, and removes its files unless they are to stay.
pub(crate) fn pack(args: &Pack) -> Result<ExitCode, String> {
    let runs = input::find(&args.paths, true).map_err(|error| error.to_string())?;
    let mut code = ExitCode::SUCCESS;
    for run in &runs {
        if let Err(why) = pack_run(run, args.keep) {
            print(&format!("{}: {why}", run.path().display()));
            code = ExitCode::from(1);
        }
    }
    Ok(code)
}

fn pack_run(run: &Run, keep: bool) -> Result<(), String> {
    if run.newer() > 0 {
        return Err(
            "these files are of an earlier run, and the newer one has the name; move one of them".into()
        );
    }
    if run.has_tables() {
        return Err("it has tables already".into());
    }
    if !run.has_texts() {
        return Err("it has no records, only a summary".into());
    }
    let tables = JobTables::at(&tables_of(&run.path()));
    let packed = write_all(run, &tables, tables.directory())?;
    if !keep {
        remove_files(&packed);
    }
    Ok(())
}

/// Returns the directory of the tables of a run.
pub(crate) fn tables_of(stem: &Path) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(records::ENDING);
    name.into()
}

/// Writes the tables of a whole job, which have this path for the user. The files stay.
pub(crate) fn write_all(run: &Run, tables: &JobTables, shown: &Path) -> Result<Packed, String> {
    let shown = shown.display();
    let cannot = |error| format!("cannot write {shown}: {error}");
    match tables.claim(run.identity()).map_err(cannot)? {
        Claim::Own => (),
        Claim::Other => return Err(format!("{shown} has something else; remove it, or choose another name")),
    }
    let packed = mpit_report::pack::pack(run, tables, "all").map_err(cannot)?;
    report(&packed);
    let missing = tables.finish(true).map_err(cannot)?;
    if !missing.is_empty() {
        let missing: Vec<u32> = missing.iter().flat_map(|(first, last)| *first..=*last).collect();
        print(&format!("{shown}: {} left no records", ranks(&missing)));
    }
    print(&format!("wrote {shown}; read it with `mpit report {shown}`"));
    Ok(packed)
}

/// Prints the notes and problems of files.
pub(crate) fn report(packed: &Packed) {
    for note in &packed.notes {
        print(note);
    }
    for problem in &packed.problems {
        print(&problem.to_string());
    }
}

/// Removes the files that are in the tables as a whole.
pub(crate) fn remove_files(packed: &Packed) {
    for path in &packed.files {
        if let Err(error) = fs::remove_file(path) {
            print(&format!("cannot remove {}, which is in the tables: {error}", path.display()));
        }
    }
}
