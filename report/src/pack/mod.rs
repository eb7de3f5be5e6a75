//! Packing of the files of a run into [tables](crate::records).

mod node;
mod packed_file;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mpit_format::Identity;
use tempfile::TempDir;

pub use node::{NodePacked, NodePart, pack_node};
pub use packed_file::PackedFile;

use crate::input::{self, Run};
use crate::problem::Problem;
use crate::records::{self, JobTables, PartWriter};

/// The result of packing.
#[derive(Debug, Default)]
pub struct Packed {
    /// The number of processes.
    pub processes: usize,
    /// The first problems of files, of which the tables have what was understood.
    pub problems: Vec<Problem>,
    /// The number of further problems.
    pub more_problems: u64,
    /// Notes for the user about the files.
    pub notes: Vec<String>,
    /// The files of which the tables have all; none if there were problems.
    pub files: Vec<PackedFile>,
    /// The processes of which finished tables have no records, as ranges of ranks.
    pub missing: Vec<(u32, u32)>,
    /// The nodes of which finished tables have no records, as far as they are known.
    pub missing_nodes: Vec<String>,
}

/// The name of a part with the records of processes whose nodes have written none, in the place of the node.
const REST: &str = "rest";

/// The name of a part with the records of all processes, in the place of the node.
const ALL: &str = "all";

/// Writes the records of a run as the tables of a directory, which does not exist before. The files stay.
///
/// # Errors
///
/// Those of the file system; there are no tables then. [`AlreadyExists`](io::ErrorKind::AlreadyExists) if there is something of that
/// name.
pub fn pack_all(run: &Run, directory: &Path) -> io::Result<Packed> {
    let tables = JobTables::create(directory, run.identity())?;
    let packed = write(run, &tables, None, &is_of(run)).and_then(|(unfinished, mut packed)| {
        tables.end_part(unfinished, ALL, packed.processes)?;
        (packed.missing, packed.missing_nodes) = tables.finish(|| records::missing_nodes(&tables))?;
        Ok(packed)
    });
    if packed.is_err() {
        // This function has created the directory.
        let _ = fs::remove_dir_all(directory);
    }
    packed
}

/// Finishes the tables of a job that has ended. If a node was lost, no other node has found all processes and written the manifest.
///
/// The files of processes that the tables lack become a part, and the manifest names the ranks and nodes without records. The files stay.
/// Stores are not packed; reports read them beside the tables. Finished tables get the files that they lack.
///
/// # Errors
///
/// Those of the file system. [`AlreadyExists`](io::ErrorKind::AlreadyExists) if the tables are finished and lack no file,
/// [`NotFound`](io::ErrorKind::NotFound) if there are none, and an error with a text if there is a file of several processes as well, or if a node
/// has written another part meanwhile.
pub fn finish(run: &Run) -> io::Result<Packed> {
    let Some(tables) = &run.tables else { return Err(io::ErrorKind::NotFound.into()) };
    let known = tables.ranks()?;
    let rest = run.beside_tables(&known);
    if tables.is_finished() && !rest.has_texts() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    if let Some(path) = &run.combined {
        let what = format!("{} has records of several processes, which cannot be added", path.display());
        return Err(io::Error::other(what));
    }
    let mut packed = Packed::default();
    if rest.has_texts() {
        let (unfinished, written) = write(&rest, tables, None, &is_of(run))?;
        if tables.ranks()? != known {
            return Err(io::Error::other("a node has written its part meanwhile, so the job has not ended"));
        }
        if written.processes > 0 {
            tables.end_part(unfinished, REST, written.processes)?;
        }
        packed = written;
    }
    if run.has_stores() {
        packed.notes.push("stores of processes stay beside the tables; `mpit report` reads both".into());
    }
    (packed.missing, packed.missing_nodes) = tables.finish(|| records::missing_nodes(tables))?;
    Ok(packed)
}

/// Returns a function that returns true for texts of a run: a file may be replaced by that of another run while others are read.
fn is_of(run: &Run) -> impl Fn(Option<u32>, Option<&Identity>) -> bool {
    move |_: Option<u32>, identity: Option<&Identity>| match (identity, run.identity()) {
        (Some(identity), Some(of_run)) => identity.is_of_same_world(of_run),
        _ => true,
    }
}

/// Checks that the tables of earlier runs that are finished can be removed: no process writes to them, and they have no other files.
///
/// # Errors
///
/// The directory that cannot be removed, with the reason.
pub fn require_removable(directories: &[PathBuf]) -> Result<(), (&Path, io::Error)> {
    for_each_finished(directories, JobTables::require_removable)
}

/// Removes the tables of earlier runs that are finished. Removes none if a directory has other files, too.
///
/// # Errors
///
/// The directory that could not be removed, with the error of the file system.
pub fn remove_finished(directories: &[PathBuf]) -> Result<(), (&Path, io::Error)> {
    require_removable(directories)?;
    for_each_finished(directories, JobTables::remove)
}

fn for_each_finished(
    directories: &[PathBuf],
    each: impl Fn(&JobTables) -> io::Result<()>,
) -> Result<(), (&Path, io::Error)> {
    for directory in directories {
        let tables = JobTables::at(directory);
        if tables.is_there() && tables.is_finished() {
            each(&tables).map_err(|error| (directory.as_path(), error))?;
        }
    }
    Ok(())
}

/// Writes the records of a run as a part of tables, which has no name yet. `step_nodes` are the nodes of the Slurm step of its processes, which
/// only a process of that step knows. Texts that `is_wanted` refuses are left out.
fn write(
    run: &Run,
    tables: &JobTables,
    step_nodes: Option<&str>,
    is_wanted: &dyn Fn(Option<u32>, Option<&Identity>) -> bool,
) -> io::Result<(TempDir, Packed)> {
    // Before they are read, so that a file that is replaced meanwhile is another one.
    let paths = run.texts().chain(run.series.values().map(PathBuf::as_path));
    let mut files: Vec<PackedFile> = paths.filter_map(PackedFile::of).collect();
    let unfinished = tables.begin_part()?;
    let mut writer = PartWriter::new(unfinished.path(), step_nodes.map(str::to_owned));
    let (mut packed, mut replaced): (Vec<PathBuf>, Vec<String>) = Default::default();
    let (mut rest, mut notes) = input::each_text(run, &mut |text| {
        if !is_wanted(text.origin.rank, Identity::of_text(&text.text).as_ref()) {
            replaced.push(format!("{} was replaced while it was read: it stays a file", text.path.display()));
            return;
        }
        if packed.last().is_none_or(|last| last != text.path) {
            packed.push(text.path.to_owned());
        }
        writer.add(&text);
    });
    input::each_series(run, BTreeSet::new(), &mut rest.problems, is_wanted, |path, rows| {
        writer.add_series(rows);
        packed.push(path.to_owned());
    });
    let (part, problems) = writer.finish(rest.size, rest.recovered, rest.missing)?;
    let problems = [rest.problems, problems];
    let more_problems = problems.iter().map(|problems| problems.more).sum();
    let problems = problems.map(|problems| problems.kept).concat();
    notes.append(&mut replaced);
    packed.sort_unstable();
    files.retain(|file| {
        problems.is_empty() && packed.binary_search_by(|path| (**path).cmp(file.path())).is_ok()
    });
    let processes = part.ranks.iter().map(|(first, last)| (last - first) as usize + 1).sum();
    Ok((unfinished, Packed { processes, problems, more_problems, notes, files, ..Packed::default() }))
}
