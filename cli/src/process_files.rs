//! Facts about processes, from their files in `/proc`.

use std::fs;

/// The environment of a process, as it was when it started.
pub(crate) struct Environment(Vec<u8>);

impl Environment {
    /// Reads the environment of a process; those of other users cannot be read.
    pub(crate) fn of(process: u32) -> Option<Self> {
        fs::read(format!("/proc/{process}/environ")).ok().map(Self)
    }

    #[cfg(test)]
    pub(crate) fn parse(text: &str) -> Self {
        Self(text.into())
    }

    pub(crate) fn bytes(&self, name: &str) -> Option<&[u8]> {
        let mut entries = self.0.split(|byte| *byte == 0);
        entries.find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
    }

    /// Returns the value of a variable, if that is UTF-8.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        str::from_utf8(self.bytes(name)?).ok()
    }
}

/// Returns true if a process with these mappings has loaded an MPI library.
pub(crate) fn has_mpi(maps: &str) -> bool {
    let mut names = maps.lines().filter_map(|line| line.rsplit('/').next());
    names.any(|name| name.starts_with("libmpi") && !name.starts_with("libmpit") && name.contains(".so"))
}
