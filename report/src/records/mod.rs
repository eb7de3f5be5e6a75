//! The records of a job as tables: what the texts of its processes say, row by row, as Parquet.
//!
//! A job is a directory, `STEM.tables`. It has parts, directories of tables with the records of some processes, so that several
//! programs can write a part each. Its manifest is written last. A report of the tables is the same as one of the texts. [`export`](crate::export) writes other tables: those of a report, about the job as a whole.

mod atomic;
mod job;
mod manifest;
mod names;
mod part;
mod read;
mod record_file;
mod record_tables;
mod removal;
mod text;

use std::path::{Path, PathBuf};

use mpit_format::names::with_ending;

pub use job::ENDING;
pub(crate) use job::JobTables;
#[cfg(test)]
pub(crate) use part::{PartFile, part_file};
pub(crate) use part::{PartWriter, TextOf};
pub(crate) use read::{missing_nodes, read};
#[cfg(test)]
pub(crate) use record_file::Checksum;

/// Returns the directory of the tables of a run. `stem` is the beginning of the names of its files.
#[must_use]
pub fn tables_of(stem: &Path) -> PathBuf {
    with_ending(stem, ENDING)
}
