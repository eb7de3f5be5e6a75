//! The description of the tables of a job, which is written last: tables without it are not finished.

use serde::Serialize;

use super::ReportTable;
use crate::job::Job;
use crate::missing::Missing;

/// The version of the manifest and of the tables, which grows when a column is removed or changes its meaning.
const VERSION: u32 = 1;

/// The tables of a job.
#[derive(Debug, Serialize)]
pub struct Manifest {
    version: u32,
    /// The name of the job, in the first column of each table.
    job: String,
    /// The version of mpit.
    mpit: &'static str,
    size: u32,
    present: u32,
    /// The ranks without data.
    missing: Vec<Missing>,
    /// The nodes without data, as far as they are known.
    missing_nodes: Vec<String>,
    /// The ranks of processes that ended without MPI_Finalize.
    recovered: Vec<u32>,
    tables: Vec<TableFile>,
}

/// A table, and the size of its file.
#[derive(Debug, Serialize)]
pub struct TableFile {
    name: &'static str,
    file: String,
    rows: u64,
}

impl TableFile {
    /// Describes a table with this number of rows.
    pub fn new(table: ReportTable, rows: u64) -> Self {
        Self { name: table.as_str(), file: Self::name_of(table), rows }
    }

    /// Returns the name of the file of a table.
    pub fn name_of(table: ReportTable) -> String {
        format!("{}.parquet", table.as_str())
    }
}

impl Manifest {
    /// The name of its file.
    pub const FILE: &'static str = "manifest.json";

    /// Describes the tables of a job with this name.
    pub fn new(job: &Job, name: &str, tables: Vec<TableFile>) -> Self {
        Self {
            version: VERSION,
            job: name.to_owned(),
            mpit: env!("CARGO_PKG_VERSION"),
            size: job.size,
            present: job.present,
            missing: job.missing.clone(),
            missing_nodes: job.missing_nodes.clone(),
            recovered: job.recovered.clone(),
            tables,
        }
    }
}
