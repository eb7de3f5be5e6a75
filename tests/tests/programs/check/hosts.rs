//! Names that an MPI library has already.

use mpit_tests::launch::Job;
use mpit_tests::stacks::{self, Stack};
use mpit_tests::{Context, Failure, Outcome, build};
use serde_json::Value;

use super::{CheckOutput, check, equal, named};

#[test]
fn names_are_compared_with_the_library() -> Outcome {
    stacks::on_each("check", taken)
}

fn taken(stack: &Stack) -> Outcome {
    let program = stack.compile("ring")?;
    let line = stack.mpiexec(1);
    let with_command = |job: Job| {
        let words: Vec<_> = std::iter::once("--").chain(line.iter().map(String::as_str)).collect();
        job.args(&words).arg(&program).seconds(120)
    };
    let inventory = Job::alone(stack).arg(&build::artifacts()?.mpit).args(&["vars", "--json"]);
    let inventory = with_command(inventory).succeed()?;
    let inventory: Value = serde_json::from_str(&inventory.stdout).context("JSON")?;
    let first = |kind: &str| {
        let all = inventory[kind].as_array().into_iter().flatten();
        all.filter(|one| one["own"] == false).find(|one| one["name"].as_str().is_some_and(is_plain))
    };
    let name = |one: &Value| one["name"].as_str().unwrap_or_default().to_owned();

    let dir = tempfile::tempdir().context("a directory")?;
    let good = named(&dir, "good", &[])?;
    let (mut options, mut expected) = (Vec::new(), 0);
    let cvar = first("cvars").context("the library has a control variable")?;
    options.push(format!("-DCVAR=\"{}\"", name(cvar)));
    expected += 1;
    // Not all libraries have one.
    if let Some(pvar) = first("pvars") {
        let class = pvar["class"].as_str().unwrap_or_default();
        options.extend([format!("-DPVAR=\"{}\"", name(pvar)), format!("-DCLASS=MPIT_CLASS_{class}")]);
        expected += 1;
    }
    if let Some(category) = first("categories") {
        options.push(format!("-DCATEGORY=\"{}\"", name(category)));
        expected += 1;
    }
    let options: Vec<_> = options.iter().map(String::as_str).collect();
    let thief = named(&dir, "thief", &options)?;

    let finished = with_command(check(Job::alone(stack), &[&good, &thief], &["--json"])?).finish()?;
    Failure::unless(finished.code == Some(1), || finished.to_string())?;
    let output = CheckOutput::of(&finished)?;
    equal(&output.0["compared_with"], &inventory["library"])?;
    equal(&output.findings(0), &Vec::new())?;
    let errors: Vec<_> =
        output.findings(1).into_iter().filter(|[severity, ..]| severity == "error").collect();
    Failure::unless(errors.len() == expected, || finished.to_string())?;
    Failure::unless(errors.iter().all(|[_, rule, _]| rule == "R318"), || finished.to_string())?;
    // Without the library there is no conflict.
    check(Job::plain(&[]), &[&thief], &[])?.succeed().map(drop)
}

/// Returns true for a name that needs no escapes in a string of C.
fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
