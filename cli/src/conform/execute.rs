//! The run of a program: a process or a job with a time limit, and its result.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGKILL, SIGTERM};

use super::report::Outcome;
use crate::{name_of_signal, preload, time_limit};

/// The time that a job has to end after a signal, before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// The output of a program, and its end.
#[derive(Debug)]
pub(super) struct Ended {
    /// `None` after the time limit.
    pub(super) status: Option<ExitStatus>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Removes mpit from the libraries that a command preloads: the MPI library alone is checked.
pub(super) fn leave_out_mpit(command: &mut Command) {
    if let Some(all) = std::env::var_os(preload::VARIABLE) {
        command.env(preload::VARIABLE, without_mpit(&all));
    }
}

fn without_mpit(all: &OsStr) -> OsString {
    let is_other = |path: &&[u8]| {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        !name.starts_with(b"libmpit")
    };
    let others: Vec<_> = all.as_bytes().split(|byte| matches!(byte, b':' | b' ')).filter(is_other).collect();
    OsString::from_vec(others.join(&b':'))
}

/// Runs a command to its end. `prefix` begins the names of the files of its output.
pub(super) fn run(
    command: &mut Command,
    prefix: &Path,
    limit: Duration,
    is_interrupted: &AtomicBool,
) -> io::Result<Ended> {
    let [out, err] = ["out", "err"].map(|extension| prefix.with_extension(extension));
    // Files, because a daemon of a launcher may keep a pipe open.
    let child =
        command.stdin(Stdio::null()).stdout(File::create(&out)?).stderr(File::create(&err)?).spawn()?;
    let status = time_limit::wait(child, limit, GRACE, || is_interrupted.load(Ordering::Relaxed))?;
    let read = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Ended { status, stdout: read(&out)?, stderr: read(&err)? })
}

/// The processes of a program that a launcher starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) processes: usize,
    /// The result is that of all processes together; else each process checks the rule alone.
    pub(super) needs_peers: bool,
}

/// Returns the result of a program by its output and its end. `job` is `None` for a single process.
pub(super) fn outcome(ended: &Ended, limit: Duration, job: Option<Job>) -> Outcome {
    // Launchers may join the lines of several processes.
    let lines = || ended.stdout.lines().map(|line| (line, line.trim_start_matches("ok")));
    let found = |mark: &str| lines().find_map(|(_, rest)| rest.strip_prefix(mark));
    if let Some(evidence) = found("fails: ") {
        return Outcome::Fails(evidence.to_owned());
    }
    let Some(status) = ended.status else {
        return Outcome::Fails(format!("hangs: it was ended after {} s", limit.as_secs_f64()));
    };
    let joined = lines().filter(|(_, rest)| rest.is_empty()).map(|(line, _)| line.len() / "ok".len());
    let well: usize = joined.sum();
    let crash = signal(status, &ended.stderr);
    // A launcher ends the other processes after the first that ends without MPI_Finalize, and complains.
    let is_ended_by_launcher = crash.is_none_or(|signal| [SIGKILL, SIGTERM].contains(&signal));
    if job.is_none() || is_ended_by_launcher {
        if let Some(reason) = found("not applicable: ") {
            return Outcome::NotChecked(reason.to_owned());
        }
        // Launchers lose lines, but every process without `ok` ends with another status.
        let needed = match job {
            Some(job) if job.needs_peers && !status.success() => job.processes,
            _ => 1,
        };
        if well >= needed && (job.is_some() || status.success()) {
            return Outcome::Holds;
        }
        if well > 0 && job.is_some() {
            return Outcome::NotChecked(format!("only {well} of {needed} processes printed a result"));
        }
    }
    if status.success() {
        let text = "ends without a result".to_owned();
        return if job.is_some() { Outcome::NotChecked(text) } else { Outcome::Fails(text) };
    }
    let how = end(status, &ended.stderr);
    if job.is_none() && well > 0 {
        return Outcome::Fails(format!("crashes at the end of the process: {how}"));
    }
    // Programs print arguments before calls that some libraries do not survive.
    match ended.stdout.lines().rfind(|line| !line.trim().is_empty()) {
        Some(line) => Outcome::Fails(format!("crashes: {how}, after it printed: {}", line.trim())),
        None => Outcome::Fails(format!("crashes: {how}")),
    }
}

/// Returns the performance variable of which a handle was about to be made when a program crashed. Programs print its name before, and a
/// line after that.
pub(super) fn crash_in_handle(ended: &Ended) -> Option<&str> {
    let is_mark = |line: &&str| line.starts_with("handle of ") || *line == "made";
    ended.stderr.lines().rfind(is_mark)?.strip_prefix("handle of ")
}

/// Returns the signal that ended a process, or that a launcher reports for one of a job.
fn signal(status: ExitStatus, stderr: &str) -> Option<i32> {
    let reported = || {
        let (_, rest) = stderr.split_once("signal ")?;
        rest.split(|char: char| !char.is_ascii_digit()).next()?.parse().ok()
    };
    let of_shells = || status.code().filter(|code| (129..=159).contains(code)).map(|code| code - 128);
    if status.success() { None } else { status.signal().or_else(reported).or_else(of_shells) }
}

/// Describes the end of a process.
fn end(status: ExitStatus, stderr: &str) -> String {
    if let Some(signal) = signal(status, stderr) {
        return name_of_signal(signal);
    }
    let line = stderr.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    format!("exit status {}: {line}", status.code().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    fn outcome_of(status: Option<i32>, stdout: &str, stderr: &str, is_launched: bool) -> Outcome {
        let job = if is_launched { Some(Job { processes: 2, needs_peers: false }) } else { None };
        outcome_in(job, status, stdout, stderr)
    }

    fn outcome_in(job: Option<Job>, status: Option<i32>, stdout: &str, stderr: &str) -> Outcome {
        let status = status.map(ExitStatus::from_raw);
        outcome(&Ended { status, stdout: stdout.into(), stderr: stderr.into() }, LIMIT, job)
    }

    #[test]
    fn results_are_read_from_the_output() {
        assert_eq!(outcome_of(Some(0), "ok\n", "", false), Outcome::Holds);
        assert_eq!(
            outcome_of(Some(0x100), "noise\nfails: code 5\nok\n", "", true),
            Outcome::Fails("code 5".into())
        );
        assert_eq!(
            outcome_of(Some(0x200), "not applicable: no\n", "", false),
            Outcome::NotChecked("no".into())
        );
        // A launcher may complain about processes that end without MPI_Finalize.
        assert_eq!(outcome_of(Some(0x100), "ok\nok\n", "", true), Outcome::Holds);
        assert_eq!(outcome_of(Some(0), "okok\n\n", "", true), Outcome::Holds);
        assert_eq!(outcome_of(Some(0), "okfails: x\n\n", "", true), Outcome::Fails("x".into()));
        assert_eq!(outcome_of(Some(0), "", "", false), Outcome::Fails("ends without a result".into()));
        assert_eq!(outcome_of(Some(0), "", "", true), Outcome::NotChecked("ends without a result".into()));
    }

    #[test]
    fn crashes_and_hangs_are_failures() {
        let fails = |text: &str| Outcome::Fails(text.to_owned());
        assert_eq!(outcome_of(Some(11), "", "", false), fails("crashes: SIGSEGV"));
        assert_eq!(
            outcome_of(Some(11), "i = -1\n", "", false),
            fails("crashes: SIGSEGV, after it printed: i = -1")
        );
        assert_eq!(outcome_of(Some(139 << 8), "", "", true), fails("crashes: SIGSEGV"));
        let stderr = "process rank 0 exited on signal 6 (Aborted)\n";
        assert_eq!(outcome_of(Some(134 << 8), "", stderr, true), fails("crashes: SIGABRT"));
        assert_eq!(outcome_of(Some(1 << 8), "", "a\nb\n\n", false), fails("crashes: exit status 1: b"));
        assert_eq!(
            outcome_of(Some(6), "ok\n", "", false),
            fails("crashes at the end of the process: SIGABRT")
        );
        assert_eq!(outcome_of(None, "", "", true), fails("hangs: it was ended after 10 s"));
    }

    /// The result of one process hides that of no other.
    #[test]
    fn each_process_of_a_job_counts() {
        let pair = Some(Job { processes: 2, needs_peers: true });
        let not_checked = |text: &str| Outcome::NotChecked(text.to_owned());
        for stdout in ["not applicable: no\nok\n", "ok\nnot applicable: no\n"] {
            assert_eq!(outcome_in(pair, Some(0x200), stdout, ""), not_checked("no"));
        }
        assert_eq!(outcome_in(pair, Some(0), "ok\nok\n", ""), Outcome::Holds);
        assert_eq!(outcome_in(pair, Some(0), "okok\n\n", ""), Outcome::Holds);
        // Hydra loses lines of processes that end early.
        assert_eq!(outcome_in(pair, Some(0), "ok\n", ""), Outcome::Holds);
        let alone = not_checked("only 1 of 2 processes printed a result");
        assert_eq!(outcome_in(pair, Some(0x200), "ok\n", ""), alone);
        for needs_peers in [false, true] {
            let job = Some(Job { processes: 2, needs_peers });
            for stdout in ["ok\n", "ok\nok\n", "not applicable: no\n"] {
                let outcome = outcome_in(job, Some(139 << 8), stdout, "");
                assert!(matches!(&outcome, Outcome::Fails(text) if text.contains("SIGSEGV")), "{outcome:?}");
            }
        }
        let ended = "process rank 1 exited on signal 9 (Killed)\n";
        assert_eq!(outcome_of(Some(137 << 8), "ok\n", ended, true), Outcome::Holds);
    }

    #[test]
    fn crashes_in_handles_are_recognized() {
        let ended = |stderr: &str| Ended { status: None, stdout: String::new(), stderr: stderr.into() };
        assert_eq!(crash_in_handle(&ended("handle of a\nmade\nhandle of b\nbacktrace\n")), Some("b"));
        assert_eq!(crash_in_handle(&ended("handle of a\nmade\nbacktrace\n")), None);
        assert_eq!(crash_in_handle(&ended("backtrace\n")), None);
    }

    #[test]
    fn mpit_is_left_out() {
        let without = |all: &str| without_mpit(OsStr::new(all)).into_string().unwrap();
        assert_eq!(without("/a/libmpit_preload.so:/b/other.so libmpit.so"), "/b/other.so");
        assert_eq!(without("/libmpit/other.so"), "/libmpit/other.so");
    }

    #[test]
    fn programs_end_at_the_limit() {
        let directory = tempfile::tempdir().unwrap();
        let begin = Instant::now();
        let mut command = Command::new("sleep");
        let limit = Duration::from_millis(20);
        let ended =
            run(command.arg("60"), &directory.path().join("sleep"), limit, &AtomicBool::new(false)).unwrap();
        assert_eq!(ended.status, None);
        assert!(begin.elapsed() < Duration::from_secs(30));
    }
}
