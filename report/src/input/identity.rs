//! The identity of a file's run, from its first line. Files of Open MPI's own monitoring have none.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::FIRST_WORD;

/// The beginning of the first line of a file of one process.
pub(crate) const RUN_WORD: &[u8] = b"# MPIT RUN\t";

/// The name of a run that was not started by `mpit run`.
const UNNAMED: &str = "-";

/// The run and world of the process of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The name of the run; `-` if it was not started by `mpit run`.
    pub run: String,
    /// The launcher's name for the world.
    pub world: String,
    /// The number of processes of the world.
    pub size: u32,
    /// The time at which the process initialized MPI, in UTC, as text that sorts by time.
    pub began: String,
}

impl Identity {
    /// Parses the fields of the line, separated by tabs. Fields with control characters are rejected.
    pub fn parse(fields: &str) -> Option<Self> {
        let mut fields = fields.trim_end_matches('\n').split('\t');
        let is_sound = |field: &&str| !field.is_empty() && !field.contains(char::is_control);
        let mut next = || fields.next().filter(is_sound);
        let (run, world, size, began) = (next()?, next()?, next()?, next()?);
        let size = size.strip_suffix(" ranks")?.parse().ok()?;
        Some(Self { run: run.into(), world: world.into(), size, began: began.into() })
    }

    /// Parses the first line of a file of one process, or of a whole job.
    pub(super) fn of_line(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        if let Some(fields) = line.as_bytes().strip_prefix(RUN_WORD) {
            return Self::parse(std::str::from_utf8(fields).ok()?);
        }
        // The fields after the version and the number of processes.
        let mut fields = line.as_bytes().strip_prefix(FIRST_WORD).and(Some(line))?.splitn(4, '\t').skip(3);
        Self::parse(fields.next()?)
    }

    /// Returns true if both belong to the same world of the same run. A process that did not receive the name of the run,
    /// for example on another machine, belongs to the run that has its world.
    pub(crate) fn is_of_same_world(&self, other: &Self) -> bool {
        self.world == other.world && (self.run == other.run || !self.is_named() || !other.is_named())
    }

    /// Returns true if the process got the name of the run.
    pub(crate) fn is_named(&self) -> bool {
        self.run != UNNAMED
    }
}

/// Returns the identity of a file `.prof`, if it has one.
pub(super) fn of_file(path: &Path) -> Option<Identity> {
    let mut line = Vec::new();
    BufReader::with_capacity(1024, open(path).ok()?).take(4096).read_until(b'\n', &mut line).ok()?;
    Identity::of_line(&line)
}

/// Opens a file for reading. Fails at once for anything but a regular file, such as a FIFO.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "it is no regular file"))
    }
}

#[cfg(test)]
mod tests {
    use super::Identity;

    #[test]
    fn both_first_lines_have_the_same_fields() {
        let fields = "20261122T081500-vm-17\tpmix a@1\t4 ranks\t2026-11-22T08:15:00.123Z";
        let identity = Identity::parse(fields).unwrap();
        assert_eq!((identity.run.as_str(), identity.size), ("20261122T081500-vm-17", 4));
        let of = |line: String| Identity::of_line(line.as_bytes());
        assert_eq!(of(format!("# MPIT RUN\t{fields}\n")), Some(identity.clone()));
        assert_eq!(of(format!("# MPIT JOB\t1\t4 ranks\t{fields}\n")), Some(identity));
        for line in [
            "# MPIT JOB\t1\t4 ranks\n",
            "# POINT TO POINT\n",
            "",
            "# MPIT RUN\ta\tb\n",
            "# MPIT RUN\ta\x1b[2J\tb\t4 ranks\tc\n",
        ] {
            assert_eq!(of(line.into()), None);
        }
    }
}
