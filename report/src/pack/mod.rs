//! Packing of the files of a run into [tables](crate::records).

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::input::{self, Run};
use crate::problem::Problem;
use crate::records::{JobTables, PartWriter};

/// The files of a run whose records are in tables now.
#[derive(Debug, Default)]
pub struct Packed {
    /// The files that are in the tables as a whole.
    pub files: Vec<PathBuf>,
    /// The number of processes.
    pub processes: usize,
    /// The first problems of other files, of which the tables have what was understood.
    pub problems: Vec<Problem>,
    /// Notes for the user about the files.
    pub notes: Vec<String>,
}

/// Writes the records of a run as a part of a job's tables, which have the directory already. The files stay.
///
/// # Errors
///
/// The errors of the file system; there is no new part then.
pub fn pack(run: &Run, tables: &JobTables, node: &str) -> io::Result<Packed> {
    let unfinished = tables.begin_part(node)?;
    let packed = write(run, &unfinished).and_then(|packed| {
        tables.end_part(&unfinished, node)?;
        Ok(packed)
    });
    if packed.is_err() {
        let _ = fs::remove_dir_all(&unfinished);
    }
    packed
}

fn write(run: &Run, directory: &Path) -> io::Result<Packed> {
    let mut writer = PartWriter::new(directory);
    let mut packed = Packed::default();
    let mut not_whole = BTreeSet::new();
    let (rest, notes) = input::each_text(run, &mut |text| {
        if !writer.add(&text) {
            not_whole.insert(text.path.to_owned());
        }
        if packed.files.last().is_none_or(|last| last != text.path) {
            packed.files.push(text.path.to_owned());
        }
    });
    let (part, problems) = writer.finish(rest.size, rest.recovered, rest.missing)?;
    packed.processes = part.ranks.iter().map(|(first, last)| (last - first) as usize + 1).sum();
    not_whole.extend(rest.problems.kept.iter().map(|problem| problem.path.clone()));
    packed.files.retain(|path| !not_whole.contains(path));
    packed.problems = [rest.problems.kept, problems.kept].concat();
    packed.notes = notes;
    Ok(packed)
}
