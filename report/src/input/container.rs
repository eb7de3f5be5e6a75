//! The file of a whole job, read one process at a time.
//!
//! Its own lines begin with `#` and a word in capital letters. The text of a process is the same as in a file of one
//! process, so tools that ignore unknown lines read the file as the texts of all processes, one after the other.

use std::io::{self, BufRead, Read};
use std::path::Path;

use super::read::Section;
use crate::job::Part;
use crate::problem::Problem;

/// The beginning of the first line.
pub const FIRST_WORD: &[u8] = b"# MPIT JOB\t";

/// The supported version of the format.
pub const VERSION: u64 = 1;

/// Reads a container whose first line was read already. Passes on one section after the other; problems are added to
/// `part`.
pub(super) fn read(
    path: &Path,
    first: &[u8],
    file: &mut impl BufRead,
    part: &mut Part,
    mut each: impl FnMut(Section, &mut Part),
) -> io::Result<()> {
    let report_problem = |part: &mut Part, line: u64, what: String| {
        part.problems.add(|| Problem { path: path.to_owned(), line, what });
    };
    let size = match first_line(first) {
        Ok(size) => size,
        Err(what) => {
            report_problem(part, 1, what);
            return Ok(());
        }
    };
    part.size = part.size.max(size);
    let mut number = 1;
    let mut line = Vec::new();
    loop {
        number += 1;
        line.clear();
        // The container's own lines are short.
        file.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        match own_line(&line, size) {
            Ok(Line::Rank { rank, bytes }) => {
                let mut text = Vec::new();
                let read = file.by_ref().take(bytes).read_to_end(&mut text)? as u64;
                let section = Section { rank: Some(rank), line: number + 1, text };
                number += memchr::memchr_iter(b'\n', &section.text).count() as u64;
                each(section, part);
                if read < bytes {
                    let what =
                        format!("expected {} more bytes of rank {rank}; the file is cut short", bytes - read);
                    report_problem(part, number, what);
                    return Ok(());
                }
            }
            Ok(Line::Missing { rank, reason }) => part.missing.push((rank, reason)),
            Ok(Line::End) => break,
            Err(what) => {
                report_problem(part, number, what);
                return Ok(());
            }
        }
    }
    if !file.fill_buf()?.is_empty() {
        report_problem(part, number + 1, "expected the end of the file after # END".into());
    }
    Ok(())
}

const LONGEST: u64 = 64 * 1024;

enum Line {
    Rank { rank: u32, bytes: u64 },
    Missing { rank: u32, reason: String },
    End,
}

fn first_line(line: &[u8]) -> Result<u32, String> {
    let text = String::from_utf8_lossy(line);
    let mut fields = text.trim_end_matches('\n').split('\t').skip(1);
    let version: u64 = field(fields.next(), "the version of the format, a number")?;
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
            Ok(Line::Rank { rank, bytes: field(bytes, "the length of the text, as in `120 bytes`")? })
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
