//! The manual pages and completions in `cli/manual`, which are installed. They are in the repository so that an installation need not
//! make them, and the command has no code for it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::Cli;

/// Returns the texts in a directory by their names.
fn texts(directory: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(directory).into_iter().flatten().map(|entry| entry.unwrap());
    let text = |entry: fs::DirEntry| {
        (entry.file_name().display().to_string(), fs::read_to_string(entry.path()).unwrap())
    };
    entries.map(text).collect()
}

#[test]
fn manual_is_the_committed_one() {
    let made = tempfile::tempdir().unwrap();
    // Without the commit.
    let mut command = Cli::command().long_version(env!("CARGO_PKG_VERSION"));
    clap_mangen::generate_to(command.clone(), made.path()).unwrap();
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut command, "mpit", made.path()).unwrap();
    }
    let (made, directory) = (texts(made.path()), Path::new(env!("CARGO_MANIFEST_DIR")).join("manual"));
    if std::env::var_os("MPIT_TEST_ACCEPT").is_some() {
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir(&directory).unwrap();
        for (name, text) in &made {
            fs::write(directory.join(name), text).unwrap();
        }
    }
    let committed = texts(&directory);
    let differ: Vec<_> =
        made.keys().chain(committed.keys()).filter(|name| made.get(*name) != committed.get(*name)).collect();
    assert!(differ.is_empty(), "{differ:?} differ: run this test with MPIT_TEST_ACCEPT=1");
    for command in Cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
        assert!(committed.contains_key(&format!("mpit-{}.1", command.get_name())), "{command}");
    }
}
