//! The file of a whole job: the texts of its processes, each behind a line that names the process.
//!
//! Its own lines begin with `#` and a word in capital letters. The text of a process is the same as in a file of one
//! process, so tools that ignore unknown lines read the file as the texts of all processes, one after the other.

use std::borrow::Borrow;
use std::io::{self, BufRead, BufWriter, Read, Write};

use crate::files::MAX_PROCESS_BYTES;
use crate::identity::{Identity, JOB_WORD};

/// The beginning of the first line.
pub const FIRST_WORD: &str = JOB_WORD;

/// The version of the format.
const VERSION: u32 = 1;

/// The text of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The rank in the world.
    pub rank: u32,
    /// The machine that the process ran on; empty if it is not known.
    pub host: String,
    /// The text.
    pub text: Vec<u8>,
}

/// Writes the file of a job of `size` processes. Texts and missing ranks are by ascending rank; a text may be made when it is written.
///
/// # Errors
///
/// The errors of the sink.
pub fn write(
    sink: impl Write,
    size: u32,
    identity: Option<&Identity>,
    texts: impl IntoIterator<Item: Borrow<Text>>,
    missing: &[(u32, String)],
) -> io::Result<()> {
    let mut out = BufWriter::new(sink);
    out.write_all(first_line(size, identity).as_bytes())?;
    for text in texts {
        let Text { rank, host, text } = text.borrow();
        write!(out, "# RANK\t{rank}\t{} bytes", text.len())?;
        if !host.is_empty() {
            write!(out, "\t{}", in_one_field(host))?;
        }
        out.write_all(b"\n")?;
        out.write_all(text)?;
    }
    for (rank, reason) in missing {
        writeln!(out, "# MISSING\t{rank}\t{}", in_one_field(reason))?;
    }
    out.write_all(b"# END\n")?;
    out.flush()
}

/// Returns the first line: the size of the job and the identity of its run.
#[must_use]
pub fn first_line(size: u32, identity: Option<&Identity>) -> String {
    let identity = identity.map_or_else(String::new, |identity| format!("\t{}", identity.fields_of_job()));
    format!("{FIRST_WORD}{VERSION}\t{size} ranks{identity}\n")
}

fn in_one_field(text: &str) -> String {
    text.replace(['\n', '\t', '\r'], " ")
}

/// A piece of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// The number of processes.
    Size(u32),
    /// The text of a process.
    Text {
        /// The text, with its process.
        text: Text,
        /// The number of its first line in the file.
        line: u64,
    },
    /// A process without a text.
    Missing {
        /// The rank in the world.
        rank: u32,
        /// The reason.
        reason: String,
    },
    /// A line that is not understood. Nothing follows it.
    Problem {
        /// The number of the line.
        line: u64,
        /// The problem.
        what: String,
    },
}

/// Reads a container whose first line was read already. Passes on one item after the other.
///
/// # Errors
///
/// The errors of the file.
pub fn read(first: &[u8], file: &mut impl BufRead, mut each: impl FnMut(Item)) -> io::Result<()> {
    let size = match parse_first_line(first) {
        Ok(size) => size,
        Err(what) => {
            each(Item::Problem { line: 1, what });
            return Ok(());
        }
    };
    each(Item::Size(size));
    let mut number = 1;
    let mut line = Vec::new();
    loop {
        number += 1;
        line.clear();
        // The container's own lines are short.
        file.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        match own_line(&line, size) {
            Ok(Line::Rank { rank, host, bytes }) => {
                let mut text = Vec::new();
                let read = file.by_ref().take(bytes).read_to_end(&mut text)? as u64;
                let first = number + 1;
                number += memchr::memchr_iter(b'\n', &text).count() as u64;
                each(Item::Text { text: Text { rank, host, text }, line: first });
                if read < bytes {
                    let left = bytes - read;
                    let what = format!("expected {left} more bytes of rank {rank}; the file is cut short");
                    each(Item::Problem { line: number, what });
                    return Ok(());
                }
            }
            Ok(Line::Missing { rank, reason }) => each(Item::Missing { rank, reason }),
            Ok(Line::End) => break,
            Err(what) => {
                each(Item::Problem { line: number, what });
                return Ok(());
            }
        }
    }
    if !file.fill_buf()?.is_empty() {
        let what = "expected the end of the file after # END".into();
        each(Item::Problem { line: number + 1, what });
    }
    Ok(())
}

const LONGEST: u64 = 64 * 1024;

/// A line of the container's own. A text of `bytes` bytes follows a line `Rank`.
enum Line {
    Rank { rank: u32, host: String, bytes: u64 },
    Missing { rank: u32, reason: String },
    End,
}

fn parse_first_line(line: &[u8]) -> Result<u32, String> {
    let text = String::from_utf8_lossy(line);
    let mut fields = text.trim_end_matches('\n').split('\t').skip(1);
    let version: u32 = field(fields.next(), "the version of the format, a number")?;
    if version != VERSION {
        return Err(format!("version {version} of the format; this program reads version {VERSION}"));
    }
    let size = fields.next().and_then(|field| field.strip_suffix(" ranks"));
    field(size, "the number of processes, as in `4 ranks`")
}

fn own_line(line: &[u8], size: u32) -> Result<Line, String> {
    if line.last() != Some(&b'\n') {
        return Err("expected a line # RANK, # MISSING or # END; the file is cut short".into());
    }
    let text = String::from_utf8_lossy(line);
    let mut fields = text.trim_end_matches('\n').split('\t');
    let word = fields.next();
    if word == Some("# END") {
        return Ok(Line::End);
    }
    let mut rank = || {
        let rank: u32 = field(fields.next(), "a rank")?;
        if rank < size { Ok(rank) } else { Err(format!("expected a rank below {size}, not {rank}")) }
    };
    match word {
        Some("# RANK") => {
            let rank = rank()?;
            let bytes = fields.next().and_then(|field| field.strip_suffix(" bytes"));
            let bytes = field(bytes, "the length of the text, as in `120 bytes`")?;
            if bytes > MAX_PROCESS_BYTES {
                return Err(format!("expected at most {MAX_PROCESS_BYTES} bytes of a process, not {bytes}"));
            }
            Ok(Line::Rank { rank, host: fields.next().unwrap_or_default().into(), bytes })
        }
        Some("# MISSING") => {
            Ok(Line::Missing { rank: rank()?, reason: fields.next().unwrap_or("no reason given").into() })
        }
        _ => Err("expected a line # RANK, # MISSING or # END".into()),
    }
}

fn field<T: std::str::FromStr>(field: Option<&str>, expected: &str) -> Result<T, String> {
    field.and_then(|field| field.parse().ok()).ok_or_else(|| format!("expected {expected}"))
}

#[cfg(test)]
mod tests {
    use super::{Text, write};

    #[test]
    fn a_line_before_each_text() {
        let texts = [
            Text { rank: 0, host: "node\t1".into(), text: b"a\n".to_vec() },
            Text { rank: 2, host: String::new(), text: Vec::new() },
        ];
        let mut file = Vec::new();
        write(&mut file, 3, None, &texts, &[(1, "no answer\n".into())]).unwrap();
        let wanted = "# MPIT JOB\t1\t3 ranks\n# RANK\t0\t2 bytes\tnode 1\na\n# RANK\t2\t0 bytes\n\
                      # MISSING\t1\tno answer \n# END\n";
        assert_eq!(String::from_utf8(file).unwrap(), wanted);
    }
}
