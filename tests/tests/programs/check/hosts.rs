//! Names that an MPI library has already.

use mpit_tests::{Context, Job, Outcome, Stack, stacks};
use serde_json::Value;

use super::{CheckOutput, check, directory, equal, named};

/// Tests of the second tier.
mod second {
    use super::*;

    #[test]
    fn names_are_compared_with_the_library() -> Outcome {
        stacks::on_each("check", taken)
    }
}

fn taken(stack: &Stack) -> Outcome {
    let program = stack.compile("ring")?;
    let with_command = |job: Job| job.arg("--").args(stack.mpiexec(1)).arg(&program).seconds(120);
    let inventory = with_command(Job::mpit(&["vars", "--json"])?.on(stack)).succeed()?;
    let inventory: Value = serde_json::from_str(&inventory.stdout).context("JSON")?;
    let first = |kind: &str| {
        let all = inventory[kind].as_array().into_iter().flatten();
        all.filter(|one| one["own"] == false).find(|one| one["name"].as_str().is_some_and(is_plain))
    };
    let name = |one: &Value| one["name"].as_str().unwrap_or_default().to_owned();

    let dir = directory()?;
    let good = named(&dir, "good", &[])?;
    let cvar = first("cvars").context("the library has a control variable")?;
    let mut options = vec![format!("-DCVAR=\"{}\"", name(cvar))];
    // Not all libraries have variables and categories.
    let (pvar, category) = (first("pvars"), first("categories"));
    if let Some(pvar) = pvar {
        let class = pvar["class"].as_str().unwrap_or_default();
        options.extend([format!("-DPVAR=\"{}\"", name(pvar)), format!("-DCLASS=MPIT_CLASS_{class}")]);
    }
    options.extend(category.map(|category| format!("-DCATEGORY=\"{}\"", name(category))));
    let expected = 1 + usize::from(pvar.is_some()) + usize::from(category.is_some());
    let options: Vec<_> = options.iter().map(String::as_str).collect();
    let thief = named(&dir, "thief", &options)?;

    let finished = with_command(check(Job::alone(stack), &[&good, &thief], &["--json"])?).finish()?;
    finished.expect(finished.code == Some(1))?;
    let output = CheckOutput::of(&finished)?;
    equal(&output.0["compared_with"], &inventory["library"])?;
    equal(&output.findings(0), &Vec::new())?;
    let errors = output.errors(1);
    finished.expect(errors.len() == expected && errors.iter().all(|[_, rule, _]| rule == "R318"))?;
    // Without the library there is no conflict.
    check(Job::plain(&[]), &[&thief], &[])?.succeed().map(drop)
}

/// Returns true for a name that needs no escapes in a string of C.
fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
