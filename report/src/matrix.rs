//! Files with the traffic between ranks as matrices.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use mpit_format::rows::Kind;

pub use mpit_placement::{Cell, Matrix};

use crate::job::Job;

/// The maximum number of processes for dense matrices.
pub const MAT_LIMIT: u32 = 20_000;

/// The traffic that a matrix has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All traffic.
    All,
    /// Messages of the program.
    External,
    /// Internal messages of the library.
    Internal,
    /// One-sided operations.
    OneSided,
    /// Collective operations.
    Collective,
}

impl Selection {
    /// All variants.
    pub const ALL: [Self; 5] = [Self::All, Self::External, Self::Internal, Self::OneSided, Self::Collective];

    /// Returns the name of the selection in file names.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::External => "external",
            Self::Internal => "internal",
            Self::OneSided => "osc",
            Self::Collective => "coll",
        }
    }

    /// Returns the kinds of traffic in the selection.
    pub fn kinds(self) -> &'static [Kind] {
        match self {
            Self::All => &Kind::ALL,
            Self::External => &[Kind::External],
            Self::Internal => &[Kind::Internal],
            Self::OneSided => &[Kind::Sent, Kind::Received],
            Self::Collective => &[Kind::Collective],
        }
    }

    /// Returns the matrix of a job, unless it is empty.
    pub fn of(self, job: &Job) -> Option<Cow<'_, Matrix>> {
        Some(job.matrix_of(self.kinds())).filter(|matrix| !matrix.is_empty())
    }
}

/// The meaning of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Bytes.
    Size,
    /// Numbers of messages.
    Messages,
    /// Bytes per message.
    Average,
}

impl Value {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Size, Self::Messages, Self::Average];

    /// Returns the name of the value in file names.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Messages => "msg",
            Self::Average => "avg",
        }
    }

    fn of(self, cell: &Cell) -> f64 {
        match self {
            Self::Size => cell.bytes as f64,
            Self::Messages => cell.count as f64,
            Self::Average => cell.bytes as f64 / cell.count.max(1) as f64,
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Size => "bytes",
            Self::Messages => "messages",
            Self::Average => "bytes for each message",
        }
    }
}

/// Writes a matrix of `size` rows, one for each sender, in the format of Open MPI's `profile2mat`: whole numbers, each followed by a space.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_mat(out: impl Write, matrix: &Matrix, size: u32, value: Value) -> io::Result<()> {
    lines(out, matrix, size, |cell| value.of(cell))
}

/// Writes the numbers of `profile2mat`: the mean of both directions, and rows up to the largest rank.
///
/// # Errors
///
/// Those of the sink.
pub fn write_like_profile2mat(out: impl Write, matrix: &Matrix, value: Value) -> io::Result<()> {
    let size = matrix.ranges().map(|run| run.from.max(run.last) + 1).max().unwrap_or(0);
    // The symmetric matrix has the sums of both directions, which the mean halves. For averages nothing is left to halve:
    // half of the bytes for half of the messages are as many bytes for each message.
    let divisor = match value {
        Value::Size | Value::Messages => 2.0,
        Value::Average => 1.0,
    };
    lines(out, &matrix.symmetric(), size, |cell| value.of(cell) / divisor)
}

fn lines(out: impl Write, matrix: &Matrix, size: u32, value: impl Fn(&Cell) -> f64) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let empty = b"0 ".repeat(size as usize);
    let mut buffer = itoa::Buffer::new();
    let mut cells = matrix.cells().peekable();
    for row in 0..size {
        let mut next = 0;
        while let Some(cell) = cells.next_if(|cell| cell.from == row) {
            out.write_all(&empty[..2 * (cell.to - next) as usize])?;
            // Halves are rounded to even, as in C.
            let rounded = value(&cell).round_ties_even();
            if rounded < u64::MAX as f64 {
                out.write_all(buffer.format(rounded as u64).as_bytes())?;
            } else {
                write!(out, "{rounded:.0}")?;
            }
            out.write_all(b" ")?;
            next = cell.to + 1;
        }
        out.write_all(&empty[..2 * (size - next) as usize])?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Writes a matrix of `size` rows, one for each sender, in the coordinate format of Matrix Market: sparse, and read by most mathematical
/// software. Indices are ranks plus one, as the format requires.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_mtx(out: impl Write, matrix: &Matrix, size: u32, value: Value) -> io::Result<()> {
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
