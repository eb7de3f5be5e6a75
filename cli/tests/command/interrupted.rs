//! Commands that run a launcher and are interrupted: they end, and leave no files.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};

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

/// A process that is killed if a test fails.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the lock that each `mpit run` of this user takes before its command starts.
fn lock_of_runs(directory: &Path, library: &Path) -> File {
    // The first run creates the file.
    let done = run_command(mpit_in(directory, library).args(["run", "--quiet", "--", "true"]));
    assert_eq!(done.status.code(), Some(0), "{}", done.stderr);
    let name = format!("mpit-{}/.lock", fs::metadata(directory).unwrap().uid());
    let paths = ["/dev/shm", "/tmp"].map(|parent| Path::new(parent).join(&name));
    let file = paths.iter().find_map(|path| File::options().write(true).open(path).ok()).unwrap();
    file.lock().unwrap();
    file
}

/// Returns true if a process has a thread of this name.
fn has_thread(process: &Path, name: &str) -> bool {
    let threads = fs::read_dir(process.join("task")).unwrap();
    threads.flatten().any(|thread| {
        fs::read_to_string(thread.path().join("comm")).is_ok_and(|comm| comm.trim_end() == name)
    })
}

/// Tests that signals end `mpit run` while it still prepares the run, where it waits for another one.
#[test]
fn preparations_can_be_interrupted() {
    let directory = tempfile::tempdir().unwrap();
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let lock = lock_of_runs(directory.path(), &library);
    let mut mpit = mpit_in(directory.path(), &library);
    mpit.args(["run", "--quiet", "--", "echo", "ran"]).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut mpit = Killed(mpit.spawn().unwrap());
    let process = PathBuf::from(format!("/proc/{}", mpit.0.id()));
    // The thread starts before the wait, so mpit is just before it, or in it.
    while !has_thread(&process, "signals") {
        assert!(mpit.0.try_wait().unwrap().is_none(), "mpit does not wait");
        thread::yield_now();
    }
    let status = fs::read_to_string(process.join("status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
    let of = |signal: Signal| 1_u64 << (signal.as_raw() - 1);
    assert_eq!(caught & (of(Signal::INT) | of(Signal::TERM)), 0, "{status}");
    // A shell may have started the tests with SIGINT ignored.
    kill_process(Pid::from_child(&mpit.0), Signal::TERM).unwrap();
    assert_eq!(mpit.0.wait().unwrap().signal(), Some(15));
    drop(lock);
    let mut printed = String::new();
    std::io::Read::read_to_string(&mut mpit.0.stdout.take().unwrap(), &mut printed).unwrap();
    assert_eq!(printed, "");
}
