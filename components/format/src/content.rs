//! Recognition of the files of monitoring by their first bytes.

use crate::files;
use crate::identity::{JOB_WORD, RUN_WORD};
use crate::names::Named;
use crate::rows::Section;
use crate::store::is_store;

impl Named {
    /// Returns true if the beginning of the file has the format that its name implies.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        let Ok(begin) = files::beginning(&self.path, 64) else { return false };
        let begins_with = |word: &str| begin.starts_with(word.as_bytes());
        match (self.store, self.rank) {
            (true, _) => is_store(&begin),
            (false, Some(_)) => {
                begins_with(&format!("{}\n", Section::PointToPoint.heading())) || begins_with(RUN_WORD)
            }
            (false, None) => begins_with(JOB_WORD),
        }
    }
}
