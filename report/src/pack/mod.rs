//! Packing of the files of a run into [tables](crate::records).

#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::Path;

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
}

/// Writes the records of a run as the tables of a directory, which does not exist before. The files stay.
///
/// # Errors
///
/// Those of the file system; there are no tables then. [`AlreadyExists`](io::ErrorKind::AlreadyExists) if there is something of that
/// name.
pub fn pack_all(run: &Run, directory: &Path) -> io::Result<Packed> {
    let tables = JobTables::create(directory, run.identity())?;
    let packed = pack(run, &tables, "all").and_then(|packed| {
        tables.finish(true)?;
        Ok(packed)
    });
    if packed.is_err() {
        // This function has created the directory.
        let _ = fs::remove_dir_all(directory);
    }
    packed
}

/// Writes the records of a run as a part of tables.
pub(crate) fn pack(run: &Run, tables: &JobTables, node: &str) -> io::Result<Packed> {
    let unfinished = tables.begin_part()?;
    let packed = write(run, unfinished.path())?;
    tables.end_part(unfinished, node)?;
    Ok(packed)
}

fn write(run: &Run, directory: &Path) -> io::Result<Packed> {
    let mut writer = PartWriter::new(directory);
    let (rest, notes) = input::each_text(run, &mut |text| writer.add(&text));
    let (part, problems) = writer.finish(rest.size, rest.recovered, rest.missing)?;
    Ok(Packed {
        processes: part.ranks.iter().map(|(first, last)| (last - first) as usize + 1).sum(),
        problems: [rest.problems.kept, problems.kept].concat(),
        more_problems: rest.problems.more + problems.more,
        notes,
    })
}
