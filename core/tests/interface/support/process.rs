//! Processes of their own for tests.

use std::any::type_name;
use std::env;
use std::process::Command;

/// Set in the process of a test that runs alone.
const ALONE: &str = "MPIT_TEST_ALONE";

/// Runs the body of a test in a process without other tests: this program once more, restricted to the calling test.
///
/// The body must be a closure in the test's function, because its type's name contains the name of the test.
pub(crate) fn in_own_process<F: FnOnce()>(body: F) {
    in_own_process_with(&[], body);
}

/// Runs the body of a test like [`in_own_process`], with these environment variables.
#[expect(clippy::disallowed_methods, reason = "a test reads what its parent process set")]
pub(crate) fn in_own_process_with<F: FnOnce()>(variables: &[(&str, &str)], body: F) {
    if env::var_os(ALONE).is_some() {
        return body();
    }
    let path = type_name::<F>();
    let (_, test) =
        path.trim_end_matches("::{{closure}}").split_once("::").expect("the crate is named first");
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(ALONE, "1").envs(variables.iter().copied());
    let output = command.output().unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    // A filter that matches no test is a success for the harness.
    let is_passed = output.status.success() && stdout.contains("test result: ok. 1 passed;");
    assert!(is_passed, "{test} in a process of its own: {}\n{stdout}{stderr}", output.status);
}
