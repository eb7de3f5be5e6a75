//! Plug-ins that crash, end the process or hang, at each step.

use mpit_tests::{Failure, Job, Outcome};

use super::{CheckOutput, check, directory, equal, plugin};

/// The macros of `failing_steps.c`, and the step in the message.
const STEPS: [(&str, &str); 5] = [
    ("IN_CONSTRUCTOR", "while it was opened"),
    ("IN_ACTIVATION", "while it was activated and its settings were set"),
    ("IN_VALUE", "while its values were read"),
    ("IN_DEACTIVATION", "while it was deactivated"),
    ("IN_DESTRUCTOR", "at the end of the process"),
];

/// Checks rule and reason of the only error.
fn reported(options: &[&str], seconds: &str, rule: &str, parts: &[&str]) -> Outcome {
    let dir = directory()?;
    let object = plugin(&dir, "failing_steps", "failing_steps", options)?;
    let finished = check(Job::plain(&[]), &[&object], &["--json", "--timeout", seconds])?.finish()?;
    equal(&finished.code, &Some(1))?;
    let mut errors = CheckOutput::of(&finished)?.fields(0, ["severity", "rule", "why"]);
    errors.retain(|[severity, ..]| severity == "error");
    let is_right =
        |[_, found, why]: &[String; 3]| found == rule && parts.iter().all(|part| why.contains(part));
    Failure::unless(errors.len() == 1 && is_right(&errors[0]), || {
        format!("expected of {options:?}: {rule}, {parts:?}; found: {errors:?}")
    })
}

#[test]
fn a_crash_is_reported_with_its_step() -> Outcome {
    for (step, when) in STEPS {
        reported(&[&format!("-D{step}"), "-DACTION=CRASH"], "60", "crash", &["SIGABRT", when])?;
    }
    // An invalid pointer is detected before it is dereferenced.
    reported(&["-DIN_TABLE"], "60", "C1", &["not in memory that can be read"])
}

#[test]
fn an_exit_is_reported_with_its_step() -> Outcome {
    for (step, when) in STEPS {
        // The exit status shows that the process ended in a destructor.
        reported(&[&format!("-D{step}"), "-DACTION=LEAVE"], "60", "exit", &["status 7", when])?;
    }
    Ok(())
}

#[test]
fn a_plugin_that_hangs_is_ended() -> Outcome {
    for (step, when) in [STEPS[0], STEPS[2]] {
        reported(&[&format!("-D{step}"), "-DACTION=WAIT"], "5", "hang", &["5 s", when])?;
    }
    Ok(())
}

#[test]
fn a_refusal_is_reported_with_its_code() -> Outcome {
    reported(&["-DREFUSED"], "60", "activation", &["returned 3"])
}
