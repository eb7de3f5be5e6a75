//! Manual pages, and completions for shells, which an installation contains.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::Cli;

/// Writes the manual pages and the completions of all subcommands that are not hidden into a directory.
pub(crate) fn write(directory: &Path) -> Result<(), String> {
    let failed = |error| format!("cannot write into {}: {error}", directory.display());
    // Without the commit.
    let mut command = Cli::command().long_version(env!("CARGO_PKG_VERSION"));
    clap_mangen::generate_to(command.clone(), directory).map_err(failed)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut command, "mpit", directory).map_err(failed)?;
    }
    Ok(())
}

#[test]
fn each_subcommand_has_a_page() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path()).unwrap();
    for command in Cli::command().get_subcommands() {
        let page = directory.path().join(format!("mpit-{}.1", command.get_name()));
        assert_eq!(page.exists(), !command.is_hide_set(), "{command}");
    }
    for file in ["mpit.1", "mpit.bash", "_mpit", "mpit.fish"] {
        assert!(directory.path().join(file).exists(), "{file}");
    }
    assert!(write(&directory.path().join("none")).is_err_and(|error| error.contains("none")));
}
