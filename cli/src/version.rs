//! The version of the command, as `mpit --version` prints it.

use std::sync::OnceLock;

use mpit_ffi::abi;

/// Returns the version, the commit if the build knew it, and the ABIs of MPI libraries.
pub(crate) fn long() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let commit = option_env!("MPIT_COMMIT").map(|commit| format!(" ({commit})")).unwrap_or_default();
        format!("{}{commit}\nABIs: {}", env!("CARGO_PKG_VERSION"), abi::NAMES.join(", "))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn version_comes_first() {
        let text = super::long();
        let (version, abis) = text.split_once('\n').unwrap();
        assert!(version.starts_with(env!("CARGO_PKG_VERSION")), "{text}");
        assert_eq!(abis, "ABIs: MPI-5 standard ABI, MPICH ABI, Open MPI ABI");
    }
}
