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
}

impl Table {
    /// All tables.
    pub const ALL: [Self; 2] = [Self::Ranks, Self::NodePairs];

    /// Returns the name of the table in the names of files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ranks => "ranks",
            Self::NodePairs => "nodes",
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
        Table::Ranks => rows(
            &mut out,
            &["rank", "host", "messages_out", "bytes_out", "messages_in", "bytes_in"],
            &report.ranks,
        )?,
        Table::NodePairs => rows(&mut out, &["from", "to", "messages", "bytes"], &report.node_pairs)?,
    }
    out.flush()
}

fn rows(out: &mut impl Write, heads: &[&str], rows: &[impl Serialize]) -> io::Result<()> {
    writeln!(out, "{}", heads.join(","))?;
    for row in rows {
        let row = serde_json::to_value(row)?;
        for (at, head) in heads.iter().enumerate() {
            if at > 0 {
                out.write_all(b",")?;
            }
            match &row[*head] {
                Value::Null => (),
                Value::String(text) => write!(out, "\"{}\"", text.replace('"', "\"\""))?,
                number => write!(out, "{number}")?,
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}
