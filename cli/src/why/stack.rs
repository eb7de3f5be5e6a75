//! The stack of a process, by a debugger that is installed.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Output, Stdio};

use crate::search_path::candidates;

/// The maximum number of processes whose stacks are shown, because a debugger stops a process while it reads the stack.
pub(super) const MAX_STACKS: usize = 4;

/// The maximum number of lines of a stack. Those of the main thread come first.
const MAX_LINES: usize = 60;

/// The time limit of a debugger, which may load large files.
const SECONDS: &str = "30";

/// The exit status of `timeout` if it ended the debugger.
const TIMED_OUT: i32 = 124;

/// The beginnings of the lines that a debugger prints if it shows only the innermost frames of a thread.
const CUT_BY_DEBUGGER: [&str; 2] = ["(More stack frames follow", "eu-stack: tid"];

/// Returns the stacks of a process's threads, that of the main thread first.
///
/// # Errors
///
/// Returns the reason if no debugger can read them.
pub(super) fn of(pid: u32) -> Result<String, String> {
    let (program, pid) = (format!("/proc/{pid}/exe"), pid.to_string());
    let attempts: [&[&str]; 2] = [
        &["eu-stack", "-n", "30", "-p", &pid],
        // The symbols of the program are read before the process is stopped, and no scripts in its files are run.
        &[
            "gdb",
            "-batch",
            "-nx",
            "-iex",
            "set auto-load off",
            "-iex",
            "set pagination off",
            &program,
            &pid,
            "-ex",
            "thread apply all -ascending backtrace 30",
        ],
    ];
    let mut reasons = Vec::new();
    for words in attempts {
        match run(words) {
            Ok(text) => return Ok(text),
            Err(why) => reasons.push(format!("{}: {why}", words[0])),
        }
    }
    Err(format!("no stack of process {pid}: {}", reasons.join("; ")))
}

fn run(words: &[&str]) -> Result<String, String> {
    let found = candidates(words[0]).is_some_and(|files| files.iter().any(|file| file.is_file()));
    if !found {
        return Err("is not installed".into());
    }
    // Interrupted, gdb prints the frames so far, and lets the process continue.
    let output = Command::new("timeout")
        .args(["-s", "INT", "-k", "5", SECONDS])
        .args(words)
        .env("DEBUGINFOD_URLS", "")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    shown(&output)
}

/// Returns the frames in the output of a debugger, and a line for each reason why there are more.
fn shown(output: &Output) -> Result<String, String> {
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let is_cut = |line: &str| CUT_BY_DEBUGGER.iter().any(|start| line.starts_with(start));
    let is_shown =
        |line: &&str| ["#", "Thread ", "TID "].iter().any(|start| line.starts_with(start)) || is_cut(line);
    let lines: Vec<&str> = text.lines().filter(is_shown).collect();
    let is_late = timed_out(output.status);
    if !lines.iter().any(|line| line.starts_with('#')) {
        let late = format!("printed no stack within {SECONDS} seconds");
        let first = errors.lines().next().unwrap_or("printed no stack").to_owned();
        return Err(if is_late { late } else { first });
    }
    let mut all: Vec<String> = lines.iter().take(MAX_LINES).map(|line| (*line).to_owned()).collect();
    if errors.lines().any(is_cut) {
        all.push("(cut: stacks have more frames)".into());
    }
    if lines.len() > MAX_LINES {
        all.push(format!("(cut: {} more lines)", lines.len() - MAX_LINES));
    }
    if is_late {
        all.push(format!("(cut: the debugger took more than {SECONDS} seconds)"));
    }
    Ok(all.join("\n"))
}

fn timed_out(status: ExitStatus) -> bool {
    status.code() == Some(TIMED_OUT) || status.signal().is_some()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::{ExitStatus, Output};

    use super::{MAX_LINES, shown};

    fn output(status: i32, stdout: &str, stderr: &str) -> Output {
        let status = ExitStatus::from_raw(status << 8);
        Output { status, stdout: stdout.into(), stderr: stderr.into() }
    }

    #[test]
    fn cut_stacks_say_so() {
        let last = |status, stdout: &str, stderr: &str| {
            let text = shown(&output(status, stdout, stderr)).unwrap();
            text.lines().last().unwrap().to_owned()
        };
        let thread = "Thread 1 (LWP 7):\n#0  poll ()\n#1  main ()\n";
        assert_eq!(last(0, thread, "warning: x"), "#1  main ()");
        let cut = format!("{thread}(More stack frames follow...)\n");
        assert_eq!(last(0, &cut, ""), "(More stack frames follow...)");
        let errors = "eu-stack: tid 7: shown max number of frames (30, use -n 0 for unlimited)\n";
        assert_eq!(last(0, thread, errors), "(cut: stacks have more frames)");
        assert_eq!(last(124, thread, ""), "(cut: the debugger took more than 30 seconds)");
        let many = "#2  main ()\n".repeat(MAX_LINES + 3);
        assert_eq!(last(0, &many, ""), "(cut: 3 more lines)");
    }

    #[test]
    fn reasons_are_those_of_the_debugger() {
        let why = |status, stderr: &str| shown(&output(status, "[New LWP 8]\n", stderr)).unwrap_err();
        assert_eq!(why(1, "ptrace: Operation not permitted.\n"), "ptrace: Operation not permitted.");
        assert_eq!(why(1, ""), "printed no stack");
        assert_eq!(why(124, "warning: x\n"), "printed no stack within 30 seconds");
    }
}
