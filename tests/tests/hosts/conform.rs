//! `mpit conform`: known defects of MPI libraries, and mpit's own interface.

use std::fs;
use std::path::Path;

use mpit_tests::{Context, Failure, Job, Outcome, Stack, stacks};
use serde_json::Value;

use crate::{equal, on_each_in_dir};

/// Returns the report about the library of a stack.
pub(crate) fn report(stack: &Stack, options: &[&str]) -> Outcome<Value> {
    let finished = job(stack, &[options, &["--format", "json"]].concat())?.finish()?;
    finished.expect(matches!(finished.code, Some(0 | 1)))?;
    serde_json::from_str(&finished.stdout).context(&finished)
}

/// Returns the job `mpit conform OPTIONS -- mpiexec -n 2 ./any`. Machines are shared by many jobs, so that programs have more time.
fn job(stack: &Stack, options: &[&str]) -> Outcome<Job> {
    let job =
        Job::mpit(&["conform", "--timeout", "60"])?.on(stack).args(options).arg("--cc").arg(stack.mpicc());
    Ok(job.arg("--").args(stack.mpiexec(2)).arg("./any").seconds(600))
}

/// Returns the evidence of a program that fails; `None` if it does not.
fn evidence<'a>(report: &'a Value, program: &str) -> Option<&'a str> {
    let checks = report["checks"].as_array()?;
    let check = checks.iter().find(|check| check["program"] == program && check["result"] == "fails")?;
    check["evidence"].as_str()
}
