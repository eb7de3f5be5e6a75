//! Host variables that crash the host when a handle on them is made.

use mpit::cvar::{Cvar, Text};

/// Performance variables of the MPI library that are listed but cannot be used, since making a handle on one
/// crashes the library: names separated by commas, `*` at the end for any ending. Empty to use all.
#[mpit::cvar(name = "host_quarantine", scope = "LOCAL", verbosity = "MPIDEV_BASIC", component = "mpit")]
pub static QUARANTINE: Cvar<Text<1024>> = Cvar::new(Text::new("mtl_psm2_*"));

/// Whether a name is on the list.
#[must_use]
pub fn holds(name: &str) -> bool {
    let list = QUARANTINE.get();
    list.as_str().split(',').map(str::trim).filter(|pattern| !pattern.is_empty()).any(|pattern| match pattern
        .strip_suffix('*')
    {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn matches_whole_names_and_endings() {
        assert!(super::holds("mtl_psm2_matched"));
        assert!(!super::holds("pml_ob1_unexpected_msgq_length"));
    }
}
