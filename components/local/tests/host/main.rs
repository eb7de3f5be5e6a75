//! Tests of the host with several ranks: each test launches its own program as a job.

#![allow(clippy::disallowed_methods, reason = "a test reads what its parent process set")]

mod collectives;
mod messages;
mod queue;
mod reports;

use std::any::type_name;
use std::env;
use std::process::{Command, ExitCode, Stdio};

use mpit_local::{Comm, Outcome};

const TEST: &str = "MPIT_TEST_JOB";

/// Runs a test as a job of `ranks` ranks: starts this program again for the test that contains the closure.
fn job<F: FnOnce(&Comm) -> Outcome>(ranks: usize, body: F) {
    // `executable::module::test::{{closure}}`
    let path = type_name::<F>().trim_end_matches("::{{closure}}");
    let (_, name) = path.split_once("::").expect("the closure is in a function");
    if env::var(TEST).is_ok_and(|test| test == name) {
        let code = mpit_local::launch(ranks, body);
        // `ExitCode` has no comparison.
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::SUCCESS));
        return;
    }
    let mut command = Command::new(env::current_exe().expect("a test has a path"));
    command.args(["--exact", name, "--nocapture"]).env(TEST, name).stdin(Stdio::null());
    let output = command.output().expect("the program starts");
    let text = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text)).concat();
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}
