//! The records of a job as tables: what the texts of its processes say, row by row, as Parquet.
//!
//! A job is a directory, `STEM.tables`. It has a part for each node, a directory of tables with the records of that node's processes,
//! so that nodes write their parts without each other. Its manifest is written last. A report of the tables is the same as one of the
//! texts. [`export`](crate::export) writes other tables: those of a report, about the job as a whole.

mod columns;
mod job;
mod part;
mod read;
mod table;
mod text;

#[cfg(test)]
pub(crate) use job::part_file;
pub use job::{Claim, ENDING, JobTables};
#[cfg(test)]
pub(crate) use part::PartFile;
pub(crate) use part::{PartWriter, TextOf};
pub(crate) use read::read;
#[cfg(test)]
pub(crate) use table::Checksum;
