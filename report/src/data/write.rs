//! Output of the report as JSON.

use std::io::{self, BufWriter, Write};

use super::Report;
use crate::json;

/// Writes the JSON of a report.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_json(out: impl Write, report: &Report) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    json::write(&mut out, report)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Returns the schema of the JSON.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Report);
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
