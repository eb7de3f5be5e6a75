//! The file of a whole job: the texts of its processes, each behind a line that names the process.
//!
//! Tools that ignore unknown lines read the file as the texts one after the other.

use std::io::{self, BufWriter, Write};

use super::Text;
use crate::run::Identity;

/// The format version that is written.
pub const VERSION: u32 = 1;

/// Writes the file of a job of `size` processes. Texts and missing ranks are by ascending rank.
///
/// # Errors
///
/// The errors of the sink.
pub fn write(
    sink: impl Write,
    size: u32,
    identity: Option<&Identity>,
    texts: &[Text],
    missing: &[(u32, String)],
) -> io::Result<()> {
    let mut out = BufWriter::new(sink);
    out.write_all(first_line(size, identity).as_bytes())?;
    for Text { rank, host, text } in texts {
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
pub(super) fn first_line(size: u32, identity: Option<&Identity>) -> String {
    let identity = identity.map_or_else(String::new, |identity| format!("\t{}", identity.fields()));
    format!("# MPIT JOB\t{VERSION}\t{size} ranks{identity}\n")
}

fn in_one_field(text: &str) -> String {
    text.replace(['\n', '\t', '\r'], " ")
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
