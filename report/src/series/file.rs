//! The file of a series: the identity of the run, and a line for each row.

use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use mpit_format::Identity;
use mpit_format::files::{self, MAX_PROCESS_BYTES};

use super::{SeriesRow, area};
use crate::problem::{Problem, Problems, unreadable};

/// The end of the file's name.
pub const ENDING: &str = ".series";

/// The beginning of the first line. The version of the format follows, and the fields of the identity, if there are any.
const FIRST_WORD: &str = "# MPIT SERIES\t";

/// The version of the format.
const VERSION: &str = "1";

/// The beginning of the line with the time that others are relative to.
const BEGIN: &str = "# BEGIN\t";

/// The last line.
const END: &str = "# END";

/// The content of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeriesFile {
    /// The run and world; `None` if the launcher does not identify them.
    pub identity: Option<Identity>,
    /// The rows.
    pub rows: Vec<SeriesRow>,
}

impl SeriesFile {
    /// Writes the file.
    ///
    /// # Errors
    ///
    /// The errors of the sink.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        write!(out, "{FIRST_WORD}{VERSION}")?;
        if let Some(identity) = &self.identity {
            write!(out, "\t{}", identity.fields())?;
        }
        let begin = self.rows.iter().map(|row| row.start).min().unwrap_or(0);
        writeln!(out, "\n{BEGIN}{begin}")?;
        for SeriesRow { rank, start, end, area, calls, ns, messages, bytes } in &self.rows {
            let (start, end, area) = (start - begin, end - begin, area.as_str());
            writeln!(out, "{rank}\t{start}\t{end}\t{area}\t{calls}\t{ns}\t{messages}\t{bytes}")?;
        }
        writeln!(out, "{END}")?;
        out.flush()
    }

    /// Returns true if a file begins like one of a series, of any version.
    #[must_use]
    pub fn is_at(path: &Path) -> bool {
        let mut begin = [0; FIRST_WORD.len()];
        let read = files::open(path).and_then(|mut file| file.read_exact(&mut begin));
        read.is_ok() && begin == FIRST_WORD.as_bytes()
    }

    /// Reads the identity from the first line of a file of any version, so that it is read with the others of its run.
    pub(crate) fn identity_at(path: &Path) -> Option<Identity> {
        let file = io::BufReader::with_capacity(1024, files::open(path).ok()?);
        let first = files::read_first_line(file).ok()?;
        let (_, fields) = fields(std::str::from_utf8(&first).ok()?)?;
        Identity::parse(fields)
    }

    /// Reads a file. Lines that are not understood are problems, and left out.
    pub(crate) fn read(path: &Path, problems: &mut Problems) -> Self {
        match files::read(path, MAX_PROCESS_BYTES) {
            Ok(text) => Self::parse(&text, &mut |line, what| {
                problems.add(|| Problem { path: path.to_owned(), line, what: what.into() });
            }),
            Err(error) => {
                problems.add(|| unreadable(path, &error));
                Self::default()
            }
        }
    }

    fn parse(text: &[u8], problem: &mut dyn FnMut(u64, &str)) -> Self {
        let text = String::from_utf8_lossy(text);
        let mut lines = (1_u64..).zip(text.split_inclusive('\n'));
        let first = lines.next().map_or("", |(_, line)| line);
        let Some((VERSION, fields)) = fields(first) else {
            problem(1, "expected the first line of a series, `# MPIT SERIES`, of version 1");
            return Self::default();
        };
        let mut found = Self { identity: Identity::parse(fields), rows: Vec::new() };
        let begin = lines.next().and_then(|(_, line)| line.strip_prefix(BEGIN)?.trim_end().parse().ok());
        let Some(begin) = begin else {
            problem(2, "expected the time of the beginning, `# BEGIN`");
            return found;
        };
        let mut is_whole = false;
        for (number, line) in lines {
            // A number at the end of a file that was cut off may lack digits.
            match line.strip_suffix('\n') {
                _ if is_whole => problem(number, "expected no line behind `# END`"),
                Some(END) => is_whole = true,
                Some(line) => match row(line, begin) {
                    Some(row) => found.rows.push(row),
                    None => problem(
                        number,
                        "expected rank, start, end, area, calls, nanoseconds, messages and bytes",
                    ),
                },
                None => (),
            }
        }
        if !is_whole {
            problem(0, "the file was cut off: the last line, `# END`, and rows before it are missing");
        }
        found
    }
}

/// Returns the version of the format in the first line, and the fields of the identity, none if it is not known.
fn fields(first: &str) -> Option<(&str, &str)> {
    let rest = first.strip_prefix(FIRST_WORD)?.trim_end_matches('\n');
    Some(rest.split_once('\t').unwrap_or((rest, "")))
}

fn row(line: &str, begin: u64) -> Option<SeriesRow> {
    let mut fields = line.split('\t');
    let rank = fields.next()?.parse().ok()?;
    let start = begin.checked_add(fields.next()?.parse().ok()?)?;
    let end = begin.checked_add(fields.next()?.parse().ok()?)?;
    let area = area(fields.next()?)?;
    let mut number = || fields.next()?.parse().ok();
    let (calls, ns, messages, bytes) = (number()?, number()?, number()?, number()?);
    let row = SeriesRow { rank, start, end, area, calls, ns, messages, bytes };
    if fields.next().is_none() && row.is_sound() { Some(row) } else { None }
}

#[cfg(test)]
mod tests {
    use mpit_format::Identity;
    use mpit_format::summary::Area;

    use super::SeriesFile;
    use crate::series::SeriesRow;

    fn file() -> SeriesFile {
        let identity = Identity::parse("r-1\tw\t4 ranks\t2026-11-22T08:15:00.123Z\tn1").unwrap();
        let row = |rank, area, bytes| SeriesRow {
            rank,
            start: 5_000_000_000,
            end: 6_000_000_000 + u64::from(rank),
            area,
            calls: 7,
            ns: 800,
            messages: 1,
            bytes,
        };
        let rows = vec![row(0, Area::PointToPoint, u64::MAX), row(3, Area::Other, 0)];
        SeriesFile { identity: Some(identity), rows }
    }

    fn text(file: &SeriesFile) -> String {
        let mut text = Vec::new();
        file.write(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    fn parsed(text: &str) -> (SeriesFile, Vec<(u64, String)>) {
        let mut problems = Vec::new();
        let file = SeriesFile::parse(text.as_bytes(), &mut |line, what| problems.push((line, what.into())));
        (file, problems)
    }

    #[test]
    fn files_are_read_as_written() {
        let expected = "# MPIT SERIES\t1\tr-1\tw\t4 ranks\t2026-11-22T08:15:00.123Z\tn1\n# BEGIN\t5000000000\n\
                        0\t0\t1000000000\tp2p\t7\t800\t1\t18446744073709551615\n3\t0\t1000000003\tother\t7\t800\t1\t0\n# END\n";
        assert_eq!(text(&file()), expected);
        assert_eq!(parsed(expected), (file(), vec![]));
        let empty = SeriesFile::default();
        assert_eq!(parsed(&text(&empty)), (empty, vec![]));
    }

    /// Otherwise, no reader would say that there is a file.
    #[test]
    fn files_of_other_versions_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.series");
        for (text, expected) in
            [("# MPIT SERIES\t2\n", true), ("# MPIT SERIES\t1\tr", true), ("rank,start,end,area\n", false)]
        {
            std::fs::write(&path, text).unwrap();
            assert_eq!(SeriesFile::is_at(&path), expected, "{text}");
        }
    }

    #[test]
    fn damage_is_reported() {
        let whole = text(&file());
        for (damaged, line, rows) in [
            (whole.replace("SERIES\t1", "SERIES\t2"), 1, 0),
            (whole.replace("SERIES\t1", "SERIES\t10"), 1, 0),
            (whole.replace("# BEGIN\t5", "# BEGIN\tx"), 2, 0),
            (whole.replace("p2p", "p3p"), 3, 1),
            (whole.replace("\t1000000003\t", "\t0\t"), 4, 1),
            (whole.replace("\t1000000003\t", "\t18446744073709551615\t"), 4, 1),
            (whole.replace("3\t0\t", "2147483648\t0\t"), 4, 1),
            (whole.replace("7\t800\t1\t0", "7\t800\t1"), 4, 1),
            (whole.replace("# END\n", ""), 0, 2),
            (format!("{whole}1"), 6, 2),
            (String::new(), 1, 0),
        ] {
            let (file, problems) = parsed(&damaged);
            assert_eq!((file.rows.len(), problems.len()), (rows, 1), "{damaged}: {problems:?}");
            assert_eq!(problems[0].0, line, "{damaged}: {problems:?}");
        }
        // A file that ends anywhere is not whole.
        for end in 0..whole.len() {
            let (cut, problems) = parsed(&whole[..end]);
            assert!(!problems.is_empty() && cut.rows.len() <= 2, "{end}");
            assert!(cut.rows.iter().all(|row| file().rows.contains(row)), "{end}");
        }
    }
}
