//! The stack of a process, by a debugger that is installed.

use std::process::{Command, Stdio};

use crate::search_path::candidates;

/// The maximum number of processes whose stacks are shown, because a debugger stops a process while it reads the stack.
pub(super) const MAX_STACKS: usize = 4;

/// The maximum number of lines of a stack.
const MAX_LINES: usize = 60;

/// The time limit of a debugger, which may load large files.
const SECONDS: &str = "30";

/// Returns the stacks of a process's threads.
///
/// # Errors
///
/// Returns the reason if no debugger can read them.
pub(super) fn of(pid: u32) -> Result<String, String> {
    let pid = pid.to_string();
    let attempts: [&[&str]; 2] = [
        &["eu-stack", "-p", &pid],
        &[
            "gdb",
            "-p",
            &pid,
            "-batch",
            "-nx",
            "-ex",
            "set pagination off",
            "-ex",
            "thread apply all backtrace 30",
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
    let output = Command::new("timeout")
        .args(["-k", "5", SECONDS])
        .args(words)
        .env("DEBUGINFOD_URLS", "")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let is_frame =
        |line: &&str| line.starts_with('#') || line.starts_with("Thread ") || line.starts_with("TID ");
    let frames: Vec<&str> = text.lines().filter(is_frame).take(MAX_LINES).collect();
    if frames.iter().any(|line| line.starts_with('#')) {
        return Ok(frames.join("\n"));
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(errors.lines().next().unwrap_or("printed no stack").to_owned())
}
