//! The places in which the system searches for a command.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Returns the files that the first word of a command may name, in the order of the search: the word itself if it has a slash, else files
/// in the directories of `PATH`. `None` without that variable; the C library has directories of its own then.
pub(crate) fn candidates(word: impl AsRef<OsStr>) -> Option<Vec<PathBuf>> {
    let word = Path::new(word.as_ref());
    if word.as_os_str().as_encoded_bytes().contains(&b'/') {
        return Some(vec![word.to_owned()]);
    }
    let directories = env::var_os("PATH")?;
    Some(env::split_paths(&directories).map(|directory| directory.join(word)).collect())
}
