//! Tables as comma-separated values, for spreadsheets and scripts (RFC 4180, but lines end with a line feed).

use std::io::{self, BufWriter, Write};

use super::columns::{Column, Getter};
use super::{Sink, Table};
use crate::job::Job;

/// Writes a table of a job. A table without rows has a header, so that programs find its columns.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_csv(out: impl Write, job: &Job, table: Table) -> io::Result<()> {
    table.put_into(job, Csv(BufWriter::new(out)))
}

struct Csv<W: Write>(BufWriter<W>);

impl<W: Write> Sink for Csv<W> {
    type Done = ();

    fn put<R>(self, columns: &[Column<R>], rows: impl IntoIterator<Item = R>) -> io::Result<()> {
        let mut out = self.0;
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        writeln!(out, "{}", names.join(","))?;
        let mut digits = itoa::Buffer::new();
        for row in rows {
            for (at, column) in columns.iter().enumerate() {
                if at > 0 {
                    out.write_all(b",")?;
                }
                match column.get {
                    Getter::Integer(of) => {
                        let value = of(&row).map(|value| digits.format(value));
                        out.write_all(value.unwrap_or_default().as_bytes())?;
                    }
                    Getter::Number(of) => {
                        if let Some(value) = of(&row) {
                            // As in the JSON.
                            serde_json::to_writer(&mut out, &value)?;
                        }
                    }
                    Getter::Text(of) => {
                        if let Some(text) = of(&row) {
                            put_text(&mut out, text)?;
                        }
                    }
                }
            }
            out.write_all(b"\n")?;
        }
        out.flush()
    }
}

/// Writes text, in quotation marks if it would be read as something else without them: an empty one would be no text.
fn put_text(out: &mut impl Write, text: &str) -> io::Result<()> {
    if text.is_empty() || text.contains([',', '"', '\n', '\r']) {
        write!(out, "\"{}\"", text.replace('"', "\"\""))
    } else {
        out.write_all(text.as_bytes())
    }
}
