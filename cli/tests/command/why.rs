//! `mpit why` by root, for jobs of other users.

use std::fs;
use std::os::unix::fs::chown;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::run::library;
use super::{Finished, MPIT, mpit_in, run_command};

const USER: u32 = 65_534;

/// A command with the rights of another user.
fn as_other_user(directory: &Path, words: &[&str]) -> Command {
    let mut command = Command::new("setpriv");
    command
        .args([&format!("--reuid={USER}"), &format!("--regid={USER}"), "--clear-groups", MPIT])
        .args(words);
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.env("MPIT_PRELOAD", library()).current_dir(directory);
    command
}

/// Ends the job when it is dropped.
struct Job(Child);

impl Drop for Job {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status();
        let _ = self.0.wait();
    }
}

fn why(words: &[&str]) -> Finished {
    let directory = std::env::temp_dir();
    run_command(mpit_in(&directory, &library()).args(["why", "--interval", "0.1"]).args(words))
}

/// Calls `look` until it returns something.
fn until<R>(look: impl Fn() -> Option<R>) -> R {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "no such job");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn root_sees_jobs_of_other_users() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().canonicalize().unwrap();
    if let Err(error) = chown(&path, Some(USER), Some(USER)) {
        println!("only root can give a directory to another user ({error}), so this is not run");
        return;
    }
    // A process with the variables of a launcher and a library of such a name counts as one in `MPI_Init`.
    let mpi = path.join("libmpi_none.so");
    fs::copy(library(), &mpi).unwrap();
    let preload = format!("LD_PRELOAD={}", mpi.display());
    let words = [
        "run",
        "--quiet",
        "--",
        "env",
        &preload,
        "PMI_RANK=0",
        "PMI_SIZE=2",
        "sh",
        "-c",
        "echo $$ > pid; exec sleep 100",
    ];
    let job = Job(as_other_user(&path, &words).spawn().unwrap());
    let read = || fs::read_to_string(path.join("pid")).ok().filter(|text| text.ends_with('\n'));
    let rank = until(read).trim().to_owned();
    let (user, run) = (USER.to_string(), job.0.id().to_string());
    let command = |finished: &Finished| finished.stdout.contains(&mpi.display().to_string());
    for words in [&["--user", &user][..], &["--user", "nobody"], &[&run], &[&rank], &["--user", &user, &rank]]
    {
        let found = why(words);
        assert!(
            found.status.code() == Some(0) && command(&found),
            "{words:?}: {}{}",
            found.stdout,
            found.stderr
        );
    }
    let all: Value = serde_json::from_str(&why(&[&run, "--format", "json"]).stdout).unwrap();
    assert_eq!(all["jobs"][0]["worlds"][0]["ranks"][0]["pid"].to_string(), rank);
    // Only root writes files.
    let kept = tempfile::tempdir().unwrap();
    let file = kept.path().join("part.json").display().to_string();
    assert_eq!(why(&[&run, "--save", &file]).status.code(), Some(0));
    assert!(command(&why(&["--from", &file])));
    // The job directory's owner replaces files: by one that never ends, and by one that only root can read.
    let jobs = format!("/dev/shm/mpit-{USER}");
    let stores = fs::read_dir(jobs).unwrap().flatten().map(|entry| entry.path());
    let store = stores.filter(|path| path.join("job").exists()).max().unwrap();
    assert!(Command::new("mkfifo").arg(store.join("run.1.store")).status().unwrap().success());
    std::os::unix::fs::symlink("/etc/shadow", store.join("run.2.store")).unwrap();
    assert!(command(&why(&[&run])));
    for name in ["run.1.store", "run.2.store"] {
        fs::remove_file(store.join(name)).unwrap();
    }
    // Without a name, root sees the jobs of root; other users see no others.
    let none = why(&["no-such-job"]);
    assert!(
        none.status.code() == Some(2) && none.stderr.contains("--user names the owner"),
        "{}",
        none.stderr
    );
    assert_eq!(why(&["--user", "no-such-user"]).stderr, "mpit: there is no user no-such-user\n");
    let refused = run_command(&mut as_other_user(&path, &["why", "--user", "0"]));
    assert_eq!(refused.stderr, "mpit: --user is for root; other users see their own jobs\n");
}
