//! Tables as comma-separated values, for spreadsheets and scripts.

use std::io::{self, BufWriter, Write};

use mpit_format::rows::Kind;

use crate::job::Job;

/// Writes a line for each pair and kind.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_pairs(out: impl Write, job: &Job) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    out.write_all(b"kind,from,to,messages,bytes\n")?;
    let mut buffer = itoa::Buffer::new();
    for kind in Kind::ALL {
        for cell in job.matrix(kind).cells() {
            out.write_all(&[kind.letter() as u8])?;
            for number in [cell.from.into(), cell.to.into(), cell.count, cell.bytes] {
                out.write_all(b",")?;
                out.write_all(buffer.format(number).as_bytes())?;
            }
            out.write_all(b"\n")?;
        }
    }
    out.flush()
}

/// Writes a line for each size of messages, up to the largest.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_sizes(out: impl Write, job: &Job) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    out.write_all(b"bytes_from,bytes_below,messages\n")?;
    let bins = job.sizes.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
    for (at, count) in job.sizes.iter().take(bins).enumerate() {
        let from = if at == 0 { 0 } else { 1_u128 << (at - 1) };
        writeln!(out, "{from},{},{count}", 1_u128 << at)?;
    }
    out.flush()
}

/// Writes a line for each name and size of communicators.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_comms(out: impl Write, job: &Job) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    out.write_all(b"name,size,communicators,o2a,o2a_bytes,a2o,a2o_bytes,a2a,a2a_bytes\n")?;
    for comm in &job.comms {
        let name = comm.name.replace('"', "\"\"");
        write!(out, "\"{name}\",{},{}", comm.size, comm.groups)?;
        for sum in comm.collectives.in_order() {
            write!(out, ",{},{}", sum.count, sum.bytes)?;
        }
        out.write_all(b"\n")?;
    }
    out.flush()
}
