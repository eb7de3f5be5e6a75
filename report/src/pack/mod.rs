//! Packing of the files of a run into [tables](crate::records).

mod node;
mod source;
#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::Path;

pub use node::{Member, NodePacked, pack_node};
pub use source::Source;

use crate::input::{self, Run};
use crate::problem::Problem;
use crate::records::{JobTables, PartWriter};

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
    pub sources: Vec<Source>,
}

/// Writes the records of a run as the tables of a directory, which does not exist before. The files stay.
///
/// # Errors
///
/// Those of the file system; there are no tables then. [`AlreadyExists`](io::ErrorKind::AlreadyExists) if there is something of that
/// name.
pub fn pack_all(run: &Run, directory: &Path) -> io::Result<Packed> {
    let tables = JobTables::create(directory, run.identity())?;
    let packed = write(run, &tables).and_then(|(unfinished, packed)| {
        tables.end_part(unfinished, "all", packed.processes)?;
        tables.finish()?;
        Ok(packed)
    });
    if packed.is_err() {
        // This function has created the directory.
        let _ = fs::remove_dir_all(directory);
    }
    packed
}

/// Removes the tables of an earlier run with this beginning of names. Returns false if there are none.
///
/// # Errors
///
/// Those of the file system, if not all could be removed, or there are other files between them.
pub fn remove_tables(directory: &Path) -> io::Result<bool> {
    let tables = JobTables::at(directory);
    let is_there = tables.is_there();
    if is_there {
        tables.remove()?;
    }
    Ok(is_there)
}

/// Writes the records of a run as a part of tables, which has no name yet.
fn write(run: &Run, tables: &JobTables) -> io::Result<(tempfile::TempDir, Packed)> {
    // Before they are read, so that a file that is replaced meanwhile is another one.
    let mut sources: Vec<Source> = run.texts().filter_map(Source::now).collect();
    let unfinished = tables.begin_part()?;
    let mut writer = PartWriter::new(unfinished.path());
    let mut read = Vec::new();
    let (rest, notes) = input::each_text(run, &mut |text| {
        if read.last().is_none_or(|last| last != text.path) {
            read.push(text.path.to_owned());
        }
        writer.add(&text);
    });
    let (part, problems) = writer.finish(rest.size, rest.recovered, rest.missing)?;
    let (kept, more_problems) =
        ([rest.problems.kept, problems.kept].concat(), rest.problems.more + problems.more);
    read.sort_unstable();
    sources.retain(|source| {
        kept.is_empty() && read.binary_search_by(|path| path.as_path().cmp(source.path())).is_ok()
    });
    let packed = Packed {
        processes: part.ranks.iter().map(|(first, last)| (last - first) as usize + 1).sum(),
        problems: kept,
        more_problems,
        notes,
        sources,
    };
    Ok((unfinished, packed))
}
