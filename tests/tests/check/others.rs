//! Files that are no plug-ins, or that the loader does not take, and what cannot be checked at all.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use mpit_tests::launch::Job;
use mpit_tests::{Context, Failure, Outcome};

use crate::{check, checked, equal, named};

#[test]
fn what_the_loader_refuses_is_told_in_its_words() -> Outcome {
    let dir = tempfile::tempdir().context("a directory")?;
    let text = dir.path().join("text.so");
    fs::write(&text, "This is a text, and longer than any header.\n").context(text.display())?;
    let writable = named(&dir, "writable", &[])?;
    fs::set_permissions(&writable, Permissions::from_mode(0o777)).context(writable.display())?;
    for (path, rule, part) in [
        (text.as_path(), "plug-in", "no shared object"),
        (&writable, "file", "can be written by others"),
        (dir.path(), "file", "a directory"),
    ] {
        let said = checked(&[path], 1)?;
        let place = path.display().to_string();
        equal(&said.findings(0), &vec![["error".into(), rule.into(), place]])?;
        Failure::unless(said.reasons(0)[0].contains(part), || said.0.to_string())?;
    }
    Ok(())
}

#[test]
fn what_cannot_be_checked_is_no_fault_of_the_plugin() -> Outcome {
    let dir = tempfile::tempdir().context("a directory")?;
    let object = named(&dir, "acme", &[])?;
    let missing = dir.path().join("missing.so");
    let finished = check(Job::plain(&[]), &[&object, &missing], &["--json"])?.finish()?;
    equal(&(finished.code, finished.stdout.as_str()), &(Some(2), ""))?;
    Failure::unless(finished.stderr.contains("there is no file"), || finished.to_string())?;
    // A command without MPI.
    let job = check(Job::plain(&[]), &[&object], &["--json"])?.args(&["--", "true"]);
    let finished = job.finish()?;
    equal(&(finished.code, finished.stdout.as_str()), &(Some(2), ""))?;
    Failure::unless(finished.stderr.contains("name a command that runs an MPI program"), || {
        finished.to_string()
    })
}
