//! `mpit run`: runs a command with the preload library, in three stages.
//!
//! | stage | from, to |
//! |---|---|
//! | [`plan`] | from arguments to settings, files and the environment of the command: all that may fail before it starts |
//! | [`execute`] | the command: its start, signals, and what watches and samples it |
//! | [`collect`] | from stores and files to recovered and packed records, the summary, and the last lines |
//!
//! A stage uses the ones above it only.

pub(crate) mod collect;
mod execute;
pub(crate) mod plan;

use std::process::ExitCode;

use crate::{Run, forwarding};

/// Runs the command, waits for it, forwards signals to it, and ends as the command did.
pub(crate) fn run(args: &Run) -> Result<ExitCode, String> {
    let mut plan = plan::PreparedRun::new(args)?;
    let executed = execute::execute(&mut plan)?;
    let status = collect::collect(&plan, executed)?;
    // Unlocks the names, before a signal may end this process.
    drop(plan);
    Ok(forwarding::end_as(status))
}
