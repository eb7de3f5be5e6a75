//! The file of a summary: the identity of the run, facts about the job, and the text.

use std::path::Path;

use super::Summary;
use crate::files;
use crate::identity::{Identity, SUMMARY_WORD};
use crate::profile::{ABOUT_WORD, About};

/// The end of the file's name.
pub const ENDING: &str = ".summary";

/// The maximum size in bytes of the text that a process sends to another one. A summary of many machines has a smaller sample of
/// collective operations then.
pub const MAX_SENT: usize = 4 << 20;

/// The maximum size of a file in bytes.
pub const MAX_FILE: usize = 64 << 10;

/// The maximum size of the lines about the job.
const MAX_ABOUT: usize = 16 << 10;

/// The content of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryFile {
    /// The run of rank 0; `None` if the launcher does not identify it.
    pub identity: Option<Identity>,
    /// The facts about the job.
    pub about: Vec<About>,
    /// The numbers.
    pub summary: Summary,
}

impl SummaryFile {
    /// Returns the text of the file, of at most [`MAX_FILE`] bytes.
    #[must_use]
    pub fn text(&self) -> String {
        let fields =
            self.identity.as_ref().map_or_else(String::new, |identity| format!("\t{}", identity.fields()));
        let mut text = format!("{SUMMARY_WORD}{fields}\n");
        for About { key, value } in &self.about {
            let line = format!("{ABOUT_WORD}{key}\t{value}\n");
            if text.len() + line.len() <= MAX_ABOUT {
                text.push_str(&line);
            }
        }
        let left = MAX_FILE.saturating_sub(text.len());
        text.push_str(&self.summary.text(left));
        text
    }

    /// Returns true if a file with this beginning has a summary.
    #[must_use]
    pub fn is_summary(begin: &[u8]) -> bool {
        let rest = begin.strip_prefix(SUMMARY_WORD.as_bytes());
        rest.is_some_and(|rest| matches!(rest.first(), Some(b'\t' | b'\n')))
    }

    /// Returns true if the file begins like one of a summary.
    #[must_use]
    pub fn is_at(path: &Path) -> bool {
        files::beginning(path, 64).is_ok_and(|begin| Self::is_summary(&begin))
    }

    /// Parses the text of a file.
    ///
    /// # Errors
    ///
    /// The number of the first line that is invalid, from 1; the number of lines plus 1 if the end is missing.
    pub fn parse(text: &str) -> Result<Self, usize> {
        let (first, mut rest) = text.split_once('\n').ok_or(1_usize)?;
        let fields =
            first.strip_prefix(SUMMARY_WORD).filter(|_| Self::is_summary(text.as_bytes())).ok_or(1_usize)?;
        let identity =
            fields.strip_prefix('\t').map(|fields| Identity::parse(fields).ok_or(1_usize)).transpose()?;
        let (mut about, mut lines) = (Vec::new(), 1);
        while let Some((line, behind)) = rest.split_once('\n')
            && let Some(fact) = line.strip_prefix(ABOUT_WORD)
        {
            lines += 1;
            let (key, value) = fact.split_once('\t').ok_or(lines)?;
            about.push(About::new(key, value));
            rest = behind;
        }
        let summary = Summary::parse(rest).map_err(|line| line + lines)?;
        Ok(Self { identity, about, summary })
    }
}
