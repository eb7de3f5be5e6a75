//! Commands that run a launcher and are interrupted: they end, and leave no files.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};

use super::{Finished, mpit_in, run_command};

/// Runs mpit in an empty directory, with a launcher that interrupts it. Checks that nothing is left there.
fn interrupted(arguments: &[&str], script: &str) -> Finished {
    let directory = tempfile::tempdir().unwrap();
    // Any file serves as the library.
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let mut mpit = mpit_in(directory.path(), &library);
    let done =
        run_command(mpit.args(arguments).args(["--", "sh", "-c", script]).env("TMPDIR", directory.path()));
    let left: Vec<PathBuf> =
        fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "{left:?}: {}", done.stderr);
    done
}

/// `mpit why` ends as its launcher.
#[test]
fn snapshots_of_nodes_can_be_interrupted() {
    let why = |before: &str, end: &str| {
        // The directory for the parts is the last argument.
        let script = format!("{before}; for last; do :; done; touch \"$last/part\"; kill -TERM $PPID; {end}");
        let done = interrupted(&["why", "job"], &script);
        (done.status.signal(), done.status.code())
    };
    assert_eq!(why(":", "exec sleep 30"), (Some(15), None));
    let wait = "sleep 30 & wait $!";
    assert_eq!(why("trap 'kill $!; exit 1' TERM", wait), (None, Some(3)));
    // A launcher may end as usual. There is no job.
    assert_eq!(why("trap 'kill $!; exit 0' TERM", wait), (None, Some(2)));
}

#[test]
fn vars_can_be_interrupted() {
    let done = interrupted(&["vars"], "kill -TERM $PPID; exec sleep 30");
    assert_eq!(done.status.code(), Some(2), "{}", done.stderr);
    assert!(done.stderr.ends_with("sh was interrupted\n"), "{}", done.stderr);
}
