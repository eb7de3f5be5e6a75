//! `mpit why` for the jobs of another user, by root.
//!
//! The owner of a job can replace each of its files, at any time, and write anything into them. So root opens none of them: a process
//! with the rights of the owner, without the environment, the terminal and the open files of root, takes the snapshots and prints the result, which
//! is passed on.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::thread;

use mpit::internal::os::files::user;
use mpit_ffi::signals;

use super::part::{self, Part};
use super::{Format, NO_JOB};
use crate::{Why, output, print};

/// The search path of the other process, whose programs are the system's.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The maximum number of bytes of a result.
const MAX_BYTES: u64 = 64 << 20;

/// The group of a user who has none in the system's lists.
const NO_GROUP: u32 = 65_534;

/// The owner of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    user: u32,
    group: u32,
}

impl Owner {
    /// Returns the owner of the wanted job if that is another user than the one of this process.
    pub(super) fn of(args: &Why) -> Result<Option<Self>, String> {
        let is_root = user() == 0;
        let user = match &args.user {
            Some(_) if !is_root => return Err("--user is for root; other users see their own jobs".into()),
            Some(name) => Some(number(name)?),
            None if is_root && args.from.is_empty() && args.launcher.is_empty() => {
                args.job.as_deref().and_then(owner_of_process)
            }
            None => None,
        };
        let other = user.filter(|user| *user != 0);
        Ok(other.map(|user| Self { user, group: id("-g", &user.to_string()).unwrap_or(NO_GROUP) }))
    }

    /// Runs `mpit why` with the rights of the owner, and passes its result on.
    pub(super) fn why(self, args: &Why) -> Result<ExitCode, String> {
        // The file of this program, also if the owner cannot reach its directory.
        let mut command = Command::new("/proc/self/exe");
        command.arg("why").args(&args.job).args(["--interval", &args.interval.to_string()]);
        if args.save.is_some() {
            command.args(["--save", part::STANDARD_OUTPUT]);
        } else {
            command.args(["--format", if args.format == Format::Json { "json" } else { "text" }]);
            if args.stack {
                command.arg("--stack");
            }
            if !args.nodes.is_empty() {
                command.args(["--nodes", &args.nodes.join(",")]);
            }
        }
        command.env_clear().env("PATH", PATH).current_dir("/").uid(self.user).gid(self.group);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        signals::isolate(&mut command);
        let fail = |error: io::Error| format!("cannot run mpit as user {}: {error}", self.user);
        let mut child = command.spawn().map_err(fail)?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let messages = thread::spawn(move || stderr.map_or_else(|| Ok(Vec::new()), read));
        let result = stdout.map_or_else(|| Ok(Vec::new()), read);
        let messages = messages.join().unwrap_or_else(|_| Ok(Vec::new())).map_err(fail)?;
        let status = child.wait().map_err(fail)?;
        for message in String::from_utf8_lossy(&messages).lines() {
            print(message.strip_prefix("mpit: ").unwrap_or(message));
        }
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        let code = code.ok_or_else(|| format!("mpit as user {} ended with {status}", self.user))?;
        let result = result.map_err(fail)?;
        match &args.save {
            Some(path) if code != NO_JOB => {
                let parts: Vec<Part> = serde_json::from_slice(&result)
                    .map_err(|error| format!("mpit as user {} printed no snapshots: {error}", self.user))?;
                part::save(&parts, path)?;
            }
            _ => _ = output(&String::from_utf8_lossy(&result))?,
        }
        Ok(ExitCode::from(code))
    }
}

fn read(pipe: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the user of a process with this number.
fn owner_of_process(job: &str) -> Option<u32> {
    let pid: u32 = job.parse().ok()?;
    Some(fs::metadata(format!("/proc/{pid}")).ok()?.uid())
}

/// Returns the number of a user, who is given by name or number.
fn number(name: &str) -> Result<u32, String> {
    // The greatest number stands for no user.
    match name.parse().ok().or_else(|| id("-u", name)) {
        Some(u32::MAX) | None => Err(format!("there is no user {name}")),
        Some(number) => Ok(number),
    }
}

/// Returns a number from the system's lists of users, which may be on a server.
fn id(option: &str, name: &str) -> Option<u32> {
    let found = Command::new("id").env("PATH", PATH).args([option, "--", name]).output().ok()?;
    str::from_utf8(&found.stdout).ok()?.trim().parse().ok()
}
