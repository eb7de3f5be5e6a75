//! Files that are not plug-ins, or that the loader refuses, and files that cannot be checked.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use mpit_tests::{Context, Failure, Job, Outcome, plugins};
use serde_json::json;

use super::{CheckOutput, check, checked, directory, equal, named};

#[test]
fn loader_errors_are_findings() -> Outcome {
    let dir = directory()?;
    let text = dir.path().join("text.so");
    fs::write(&text, "This is a text, and longer than any header.\n").context(text.display())?;
    let writable = named(&dir, "writable", &[])?;
    fs::set_permissions(&writable, Permissions::from_mode(0o777)).context(writable.display())?;
    for (path, rule, part) in [
        (text.as_path(), "plug-in", "no shared object"),
        (&writable, "file", "can be written by others"),
        (dir.path(), "file", "a directory"),
    ] {
        let output = checked(&[path], 1)?;
        let place = path.display().to_string();
        equal(&output.findings(0), &vec![["error".into(), rule.into(), place]])?;
        Failure::unless(output.reasons(0)[0].contains(part), || output.0.to_string())?;
    }
    Ok(())
}

/// Tests that each malformed plug-in that the loader refuses has an error.
#[test]
fn every_malformed_plugin_has_an_error() -> Outcome {
    let dir = directory()?;
    let mut all = plugins::malformed(dir.path())?;
    all.retain(|one| one.path.exists());
    let paths: Vec<_> = all.iter().map(|one| one.path.as_path()).collect();
    let output = checked(&paths, 1)?;
    for (number, one) in all.iter().enumerate() {
        let is_reported = output.reasons(number).iter().any(|why| why.contains(one.reported));
        Failure::unless(!output.errors(number).is_empty() && is_reported, || {
            format!("expected `{}` of {}", one.reported, output.plugin(number))
        })?;
    }
    Ok(())
}

#[test]
fn missing_mpi_has_a_remedy() -> Outcome {
    let dir = directory()?;
    let needy = named(&dir, "needy", &["-DNEEDS_MPI"])?;
    let output = checked(&[&needy], 1)?;
    let finding = &output.plugin(0)["findings"][0];
    equal(&finding["rule"], &json!("needs-mpi"))?;
    let parts = [("why", "undefined symbol: MPI_Initialized"), ("remedy", "LD_PRELOAD=")];
    let has = |(key, part): (&str, &str)| finding[key].as_str().is_some_and(|text| text.contains(part));
    Failure::unless(parts.into_iter().all(has), || output.0.to_string())?;
    // A library that provides the symbol, as an MPI library does.
    let library = named(&dir, "library", &["-DHAS_MPI"])?;
    let finished = check(Job::plain(&[]).env("LD_PRELOAD", &library), &[&needy], &["--json"])?.succeed()?;
    equal(&CheckOutput::of(&finished)?.findings(0), &Vec::new())
}

#[test]
fn a_command_without_mpi_has_status_2() -> Outcome {
    let dir = directory()?;
    let object = named(&dir, "acme", &[])?;
    let without_mpi = check(Job::plain(&[]), &[&object], &["--json"])?.args(["--", "true"]);
    let finished = without_mpi.finish()?;
    equal(&(finished.code, finished.stdout.as_str()), &(Some(2), ""))?;
    finished.expect(finished.stderr.contains("name a command that runs an MPI program"))
}
