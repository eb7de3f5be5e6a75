//! Plug-ins in a program without MPI: those that are loaded, and the messages about those that are not.

mod malformed;
mod multiple;
mod security;

use std::{path::PathBuf, sync::OnceLock};

use mpit_tests::{Failure, Outcome, build, launch::Job, paths};

/// Builds the example `plugins`, which shows all entries.
fn viewer() -> Outcome<PathBuf> {
    static BUILT: OnceLock<bool> = OnceLock::new();
    let is_built = BUILT.get_or_init(|| {
        let build = ["build", "--quiet", "-p", "mpit-tests", "--example", "plugins"];
        build::is_built() || build::cargo().args(build).status().is_ok_and(|status| status.success())
    });
    Failure::unless(*is_built, || "the example `plugins` does not build".into())?;
    Ok(paths::built().join("examples/plugins"))
}

fn job() -> Outcome<Job> {
    Ok(Job::plain(&[]).arg(viewer()?))
}

fn scratch(test: &str) -> Outcome<PathBuf> {
    paths::scratch("plugins", test)
}
