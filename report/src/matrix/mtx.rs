//! Matrix Market's coordinate format: sparse, and read by most mathematical software.

use std::io::{self, BufWriter, Write};

use super::mat::Value;
use mpit_placement::Matrix;

/// Writes a matrix of `size` rows, one for each sender. Indices are ranks plus one, as the format requires.
///
/// # Errors
///
/// The errors of the sink.
pub fn write(out: impl Write, matrix: &Matrix, size: u32, value: Value) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let field = if value == Value::Average { "real" } else { "integer" };
    writeln!(out, "%%MatrixMarket matrix coordinate {field} general")?;
    writeln!(
        out,
        "% row: rank of the sender + 1; column: rank of the receiver + 1; value: {}",
        value.meaning()
    )?;
    writeln!(out, "{size} {size} {}", matrix.pairs())?;
    let mut buffer = itoa::Buffer::new();
    for cell in matrix.cells() {
        out.write_all(buffer.format(u64::from(cell.from) + 1).as_bytes())?;
        out.write_all(b" ")?;
        out.write_all(buffer.format(u64::from(cell.to) + 1).as_bytes())?;
        out.write_all(b" ")?;
        match value {
            Value::Size => out.write_all(buffer.format(cell.bytes).as_bytes())?,
            Value::Messages => out.write_all(buffer.format(cell.count).as_bytes())?,
            Value::Average => write!(out, "{}", value.of(&cell))?,
        }
        out.write_all(b"\n")?;
    }
    out.flush()
}
