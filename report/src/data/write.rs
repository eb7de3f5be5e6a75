//! Output of the report as JSON, and of its tables as comma-separated values.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::Value;

use super::Report;

/// A table that has a file of comma-separated values of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// The ranks.
    Ranks,
    /// The traffic between machines.
    NodePairs,
    /// The calls.
    Calls,
    /// The calls on communicators.
    CommTimes,
    /// The ranks that arrive last.
    Late,
    /// The calls by place in the program.
    Sites,
    /// The calls by region of the program.
    Regions,
}

impl Table {
    /// All tables.
    pub const ALL: [Self; 7] =
        [Self::Ranks, Self::NodePairs, Self::Calls, Self::CommTimes, Self::Late, Self::Sites, Self::Regions];

    /// Returns the name of the table in the names of files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ranks => "ranks",
            Self::NodePairs => "nodes",
            Self::Calls => "calls",
            Self::CommTimes => "comm_times",
            Self::Late => "late",
            Self::Sites => "sites",
            Self::Regions => "regions",
        }
    }
}

/// Writes the JSON of a report.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_json(out: impl Write, report: &Report) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    serde_json::to_writer(&mut out, report)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Returns the schema of the JSON.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Report);
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// Writes a table of a report. A table without rows has a header, so that programs find its columns.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_csv(out: impl Write, report: &Report, table: Table) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    match table {
        Table::Ranks => rows(&mut out, RANK_COLUMNS, &report.ranks)?,
        Table::NodePairs => rows(&mut out, "from,to,messages,bytes", &report.node_pairs)?,
        Table::Calls => rows(&mut out, CALL_COLUMNS, &report.calls)?,
        Table::CommTimes => rows(&mut out, COMM_COLUMNS, &report.communicator_times)?,
        Table::Late => rows(&mut out, "rank,last_in,operations,waited,share", &report.late)?,
        Table::Sites => rows(&mut out, SITE_COLUMNS, &report.sites)?,
        Table::Regions => rows(&mut out, REGION_COLUMNS, &report.regions)?,
    }
    out.flush()
}

/// The columns of the table of ranks. A dot leads into an object.
const RANK_COLUMNS: &str = "rank,host,messages_out,bytes_out,messages_in,bytes_in,seconds.elapsed,seconds.in_mpi,seconds.p2p,\
                            seconds.coll,seconds.osc,seconds.wait,seconds.io,seconds.other,seconds.idle_share";

const CALL_COLUMNS: &str = "name,area,calls,seconds,share,mean,min,max,max_rank,bytes";

const COMM_COLUMNS: &str = "name,p2p_calls,p2p_seconds,p2p_bytes,coll_calls,coll_seconds,coll_bytes";

const SITE_COLUMNS: &str = "site,call,calls,seconds,mean,max,max_rank,imbalance,bytes,module,offset";

const REGION_COLUMNS: &str = "region,call,calls,seconds,mean,max,max_rank,imbalance,bytes";

/// Writes rows whose columns are fields of their JSON. The header has the last parts of their names.
fn rows(out: &mut impl Write, columns: &str, rows: &[impl Serialize]) -> io::Result<()> {
    let paths: Vec<String> =
        columns.split(',').map(|column| format!("/{}", column.replace('.', "/"))).collect();
    let heads: Vec<&str> =
        columns.split(',').map(|column| column.rsplit('.').next().unwrap_or(column)).collect();
    writeln!(out, "{}", heads.join(","))?;
    for row in rows {
        let row = serde_json::to_value(row)?;
        for (at, path) in paths.iter().enumerate() {
            if at > 0 {
                out.write_all(b",")?;
            }
            match row.pointer(path) {
                None | Some(Value::Null) => (),
                Some(Value::String(text)) => write!(out, "\"{}\"", text.replace('"', "\"\""))?,
                Some(number) => write!(out, "{number}")?,
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}
