//! The identity of a file's run, from its first line. Files of Open MPI's own monitoring have none.

use std::io::BufReader;
use std::path::Path;

use crate::files::{self, MAX_NAME};

/// The beginning of the first line of a file of one process.
pub(crate) const RUN_WORD: &str = "# MPIT RUN\t";

/// The beginning of the first line of a file of a whole job, whose identity follows two fields of its own.
pub(crate) const JOB_WORD: &str = "# MPIT JOB\t";

/// The beginning of the first line of the file of a summary, with the version of the format. The fields of the identity follow, if there
/// are any.
pub(crate) const SUMMARY_WORD: &str = "# MPIT SUMMARY\t1";

/// The name of a run that was not started by `mpit run`.
pub const UNNAMED: &str = "-";

/// The run and world of the process of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The name that `mpit run` gave; [`UNNAMED`] without it.
    pub run: String,
    /// The launcher's name for the world.
    pub world: String,
    /// The number of processes of the world.
    pub size: u32,
    /// The time at which the process initialized MPI, in UTC, as text that sorts by time: `2026-11-22T08:15:00.123Z`.
    pub began: String,
    /// The machine of the process; empty if it is not known, and in the identity of a whole job.
    pub host: String,
}

impl Identity {
    /// Returns the fields of a process's line behind its first word.
    #[must_use]
    pub fn fields(&self) -> String {
        let mut fields = self.fields_of_job();
        if !self.host.is_empty() {
            fields.push('\t');
            fields.push_str(&self.host);
        }
        fields
    }

    /// Returns the fields without those that differ between processes.
    #[must_use]
    pub(crate) fn fields_of_job(&self) -> String {
        format!("{}\t{}\t{} ranks\t{}", self.run, self.world, self.size, self.began)
    }

    /// Returns the line with its line end.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{RUN_WORD}{}\n", self.fields())
    }

    /// Parses the fields of the line, separated by tabs. Fields with control characters are rejected.
    #[must_use]
    pub fn parse(fields: &str) -> Option<Self> {
        let mut fields = fields.trim_end_matches('\n').split('\t');
        let is_sound =
            |field: &&str| !field.is_empty() && field.len() <= MAX_NAME && !field.contains(char::is_control);
        let mut next = || fields.next().filter(is_sound);
        let (run, world, size, began) = (next()?, next()?, next()?, next()?);
        let size = size.strip_suffix(" ranks")?.parse().ok()?;
        let host = next().unwrap_or_default();
        Some(Self { run: run.into(), world: world.into(), size, began: began.into(), host: host.into() })
    }

    /// Returns the identity of a text, if it has one.
    #[must_use]
    pub fn of_text(text: &[u8]) -> Option<Self> {
        Self::of_line(text.split_inclusive(|byte| *byte == b'\n').next()?)
    }

    fn of_line(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        match line.strip_prefix(RUN_WORD) {
            Some(fields) => Self::parse(fields),
            None if line.starts_with(SUMMARY_WORD) => {
                Self::parse(line.strip_prefix(SUMMARY_WORD)?.strip_prefix('\t')?)
            }
            None => Self::parse(line.strip_prefix(JOB_WORD)?.splitn(3, '\t').nth(2)?),
        }
    }

    /// Returns the identity of a file `.prof`, if it has one.
    #[must_use]
    pub fn of_file(path: &Path) -> Option<Self> {
        let file = BufReader::with_capacity(1024, files::open(path).ok()?);
        Self::of_line(&files::read_first_line(file).ok()?)
    }

    /// Returns true if both belong to the same world of the same run. A process that did not receive the name of the run,
    /// for example on another machine, belongs to the run that has its world.
    #[must_use]
    pub fn is_of_same_world(&self, other: &Self) -> bool {
        self.world == other.world && (self.run == other.run || !self.is_named() || !other.is_named())
    }

    /// Returns true if this is of the run of a name, or does not name its run: a launcher may keep the name from processes on other
    /// machines. A text without a name is one of this run, because those of earlier runs are removed before texts are read. Stores are not.
    #[must_use]
    pub fn belongs_to_run(&self, run: Option<&str>) -> bool {
        !self.is_named() || run == Some(self.run.as_str())
    }

    /// Returns true if the process got the name of the run.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.run != UNNAMED
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
        assert_eq!((identity.fields(), identity.line()), (fields.into(), format!("# MPIT RUN\t{fields}\n")));
        // The machine differs between the processes of a job.
        let on_host = Identity { host: "n1".into(), ..identity.clone() };
        assert_eq!(on_host.line(), format!("# MPIT RUN\t{fields}\tn1\n"));
        assert_eq!(Identity::parse(&on_host.fields()), Some(on_host.clone()));
        assert_eq!(on_host.fields_of_job(), fields);
        assert!(on_host.is_of_same_world(&identity));
        let of = |line: String| Identity::of_line(line.as_bytes());
        assert_eq!(of(format!("# MPIT RUN\t{fields}\n")), Some(identity.clone()));
        assert_eq!(of(format!("# MPIT SUMMARY\t1\t{fields}\n")), Some(identity.clone()));
        assert_eq!(of(format!("# MPIT JOB\t1\t4 ranks\t{fields}\n")), Some(identity));
        for line in [
            "# MPIT JOB\t1\t4 ranks\n",
            "# MPIT SUMMARY\t1\n",
            "# POINT TO POINT\n",
            "",
            "# MPIT RUN\ta\tb\n",
            "# MPIT RUN\ta\x1b[2J\tb\t4 ranks\tc\n",
            "# MPIT RUN\ta\nc\tb\t4 ranks\td\n",
            "# MPIT RUN\ta\tb\t4 processes\tc\n",
            "# MPIT RUN\ta\tb\t4 ranks\n",
        ] {
            assert_eq!(of(line.into()), None);
        }
    }

    #[test]
    fn named_files_are_of_one_run() {
        let of =
            |run: &str| Identity::parse(&format!("{run}\tw\t4 ranks\t2026-11-22T08:15:00.123Z")).unwrap();
        for (name, run, expected) in [
            ("r-1", Some("r-1"), true),
            ("r-1", Some("r-2"), false),
            ("r-1", None, false),
            ("-", Some("r-1"), true),
            ("-", None, true),
        ] {
            assert_eq!(of(name).belongs_to_run(run), expected, "{name} {run:?}");
        }
    }
}
