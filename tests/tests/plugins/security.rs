//! Nobody else brings code into the program.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

use mpit_tests::{Context, Failure, Outcome, launch::Job, plugins};

use super::{job, scratch, viewer};

fn chmod(path: &Path, mode: u32) -> Outcome {
    fs::set_permissions(path, Permissions::from_mode(mode)).context(path.display())
}

#[test]
fn files_and_directories_that_others_can_write_are_refused() -> Outcome {
    let dir = scratch("permissions")?;
    let inner = dir.join("inner");
    fs::create_dir(&inner).context("a directory")?;
    let path = plugins::good(&inner, "acme")?;
    for (what, mode, back) in [(&path, 0o775, 0o755), (&path, 0o757, 0o755), (&inner, 0o777, 0o755)] {
        chmod(what, mode)?;
        for (variable, value) in [("MPIT_PLUGINS", &path), ("MPIT_PLUGIN_PATH", &inner)] {
            let finished = job()?.env(variable, value).succeed()?;
            let lines: Vec<_> = finished.stderr.lines().collect();
            let expected = format!("{} can be written by others", what.display());
            let told = matches!(lines[..], [line] if line.contains(&expected) && line.contains("chmod go-w"));
            Failure::unless(told && !finished.stdout.contains("acme_work"), || finished.to_string())?;
        }
        chmod(what, back)?;
    }
    let finished = job()?.env("MPIT_PLUGIN_PATH", &inner).succeed()?;
    Failure::unless(finished.stderr.is_empty() && finished.stdout.contains("acme_work"), || {
        finished.to_string()
    })
}

#[test]
fn a_program_with_privileges_of_its_own_loads_nothing() -> Outcome {
    /// A user who is neither root nor whoever runs the tests.
    const NOBODY: u32 = 65_534;
    let dir = scratch("privileged")?;
    let path = plugins::good(&dir, "acme")?;
    let program = dir.join("viewer");
    fs::copy(viewer()?, &program).context("a copy")?;
    if let Err(error) = chown(&program, Some(NOBODY), None) {
        println!("only root can give a program to somebody else ({error}), so it is not run with his rights");
        return Ok(());
    }
    chmod(&program, 0o4755)?;
    let finished = Job::plain(&[]).arg(&program).env("MPIT_PLUGINS", &path).succeed()?;
    let lines: Vec<_> = finished.stderr.lines().collect();
    let told = matches!(lines[..], [line] if line.contains("privileges") && line.contains("MPIT_PLUGINS"));
    Failure::unless(told && !finished.stdout.contains("acme_work"), || finished.to_string())?;
    chmod(&program, 0o755)?;
    let finished = Job::plain(&[]).arg(&program).env("MPIT_PLUGINS", &path).succeed()?;
    Failure::unless(finished.stdout.contains("acme_work"), || finished.to_string())
}
