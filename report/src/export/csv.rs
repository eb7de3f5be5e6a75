//! Tables as comma-separated values, for spreadsheets and scripts (RFC 4180, but lines end with a line feed).

use std::io::{self, BufWriter, Write};

use mpit_vocabulary::{is_deceptive, write_escaped};

use super::{ReportTable, Sink};
use crate::columns::{CellValue, Row};
use crate::job::Job;

/// Writes a table of a job. A table without rows has a header, so that programs find its columns.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_csv(out: impl Write, job: &Job, table: ReportTable) -> io::Result<()> {
    table.put_into(job, Csv(BufWriter::new(out)))
}

struct Csv<W: Write>(BufWriter<W>);

impl<W: Write> Sink for Csv<W> {
    type Done = ();

    fn put<R: Row>(self, rows: impl IntoIterator<Item = R>) -> io::Result<()> {
        let (mut out, columns) = (self.0, R::exported());
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        writeln!(out, "{}", names.join(","))?;
        let mut digits = itoa::Buffer::new();
        for row in rows {
            for (at, column) in columns.iter().enumerate() {
                if at > 0 {
                    out.write_all(b",")?;
                }
                match column.value(&row) {
                    CellValue::Missing => (),
                    CellValue::Integer(value) => out.write_all(digits.format(value).as_bytes())?,
                    // As in the JSON.
                    CellValue::Number(value) => serde_json::to_writer(&mut out, &value)?,
                    CellValue::Letter(letter) => out.write_all(letter.encode_utf8(&mut [0; 4]).as_bytes())?,
                    CellValue::Text(text) => put_text(&mut out, text)?,
                }
            }
            out.write_all(b"\n")?;
        }
        out.flush()
    }
}

/// Writes text, in quotation marks if it would be read as something else without them: an empty one would be no text. A text that
/// spreadsheets would evaluate gets an apostrophe in front. Invisible characters stand as `\x1b` or `\u{202e}`.
fn put_text(out: &mut impl Write, text: &str) -> io::Result<()> {
    let is_kept = |char: char| !is_deceptive(char) || matches!(char, '\n' | '\t');
    let mut shown = String::new();
    if is_formula(text) {
        shown.push('\'');
    }
    for char in text.chars() {
        if is_kept(char) {
            shown.push(char);
        } else {
            _ = write_escaped(&mut shown, char);
        }
    }
    let text = shown.as_str();
    if text.is_empty() || text.contains([',', '"', '\n', '\r']) {
        write!(out, "\"{}\"", text.replace('"', "\"\""))
    } else {
        out.write_all(text.as_bytes())
    }
}

/// Returns true if a spreadsheet takes a cell for a formula. Numbers, and lists of these, are none.
fn is_formula(text: &str) -> bool {
    let is_number = |text: &str| {
        text.bytes().all(|byte| b"0123456789+-.eE".contains(&byte)) && text.parse::<f64>().is_ok()
    };
    text.starts_with(['=', '+', '-', '@', '\t', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'])
        && !text.split(',').all(is_number)
}

#[cfg(test)]
mod tests {
    use super::put_text;

    #[test]
    fn texts_are_no_formulas() {
        let of = |text: &str| {
            let mut out = Vec::new();
            put_text(&mut out, text).unwrap();
            String::from_utf8(out).unwrap()
        };
        for text in ["größer", "a=b", "-1.5e-3", "+2", "a-b"] {
            assert_eq!(of(text), text);
        }
        assert_eq!(of("-1,2"), "\"-1,2\"");
        for (text, shown) in [
            ("=1+1", "'=1+1"),
            ("-cmd", "'-cmd"),
            ("+1+A1", "'+1+A1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\u{ff1d}1", "'\u{ff1d}1"),
            ("=HYPERLINK(\"a\",1)", "\"'=HYPERLINK(\"\"a\"\",1)\""),
            ("\x1b[2J\r\u{202e}", "\\x1b[2J\\x0d\\u{202e}"),
            ("", "\"\""),
            ("a\nb", "\"a\nb\""),
        ] {
            assert_eq!(of(text), shown);
        }
    }
}
