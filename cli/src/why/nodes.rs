//! `mpit why JOB -- LAUNCHER`: the snapshots of all nodes on which a launcher starts a process.

use std::io;
use std::process::{Command, ExitStatus, Stdio};

use super::job;
use super::part::{self, Part};
use crate::forwarding::{self, CommandEnd};
use crate::{Why, print};

/// The result of snapshots on all nodes.
pub(super) enum Observed {
    /// The snapshots of the nodes.
    Parts(Vec<Part>),
    /// A signal to this process ended the launcher first.
    Interrupted(ExitStatus),
}

/// Runs `mpit why --save` on the nodes, and merges their snapshots.
pub(super) fn observe(args: &Why) -> Result<Observed, String> {
    let fail = |what: &str, error: io::Error| format!("cannot {what}: {error}");
    // The nodes probably share it, as the program and its files.
    let here = std::env::current_dir().map_err(|error| fail("find the current directory", error))?;
    let directory = tempfile::Builder::new()
        .prefix(".mpit-why-")
        .tempdir_in(here)
        .map_err(|error| fail("create a directory for the parts of nodes in the current one", error))?;
    let mpit = std::env::current_exe().map_err(|error| fail("find this program", error))?;
    let name = args.job.as_deref().map(name_of_run).transpose()?;
    let launcher = args.launcher[0].to_string_lossy();
    let mut command = Command::new(&args.launcher[0]);
    command
        .args(&args.launcher[1..])
        .arg(mpit)
        .arg("why")
        .args(&name)
        .args(["--interval", &args.interval.to_string()])
        .arg("--of-launcher")
        .arg("--save")
        .arg(directory.path())
        .stdin(Stdio::null())
        .stdout(Stdio::from(io::stderr()));
    let ended = forwarding::run_between(&mut command, |_| ());
    let status = match ended.map_err(|error| fail(&format!("run {launcher}"), error))? {
        CommandEnd::Itself(status) => status,
        CommandEnd::Interrupted(status) => {
            print(&format!("{launcher} was interrupted"));
            return Ok(Observed::Interrupted(status));
        }
    };
    if !status.success() {
        print(&format!("{launcher} ended with {status}: parts of nodes may be missing"));
    }
    part::read(&[directory.path().to_owned()], name.as_deref()).map(Observed::Parts)
}

/// Returns the name of a job, by which all nodes know it: the process of `mpit run` is known on its node only.
fn name_of_run(job: &str) -> Result<String, String> {
    match &job::find(Some(job))?[..] {
        [found] => Ok(found.run().to_owned()),
        _ if job.parse::<u32>().is_ok() => Err(format!(
            "no `mpit run` on this node is process {job}; give the name of the run, which `mpit why` prints there"
        )),
        _ => Ok(job.to_owned()),
    }
}
