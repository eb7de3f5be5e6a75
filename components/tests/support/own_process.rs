//! A process for each test.

#![allow(clippy::disallowed_methods, reason = "a test reads what its parent process set")]

use std::any::type_name;
use std::env;
use std::process::Command;

/// The environment variable with the name of the test that the process is for.
const TEST: &str = "MPIT_TEST_OWN_PROCESS";

/// Runs a test in a process of its own: starts this program again for the test that contains the closure.
pub(crate) fn in_own_process<F: FnOnce()>(body: F) {
    // `executable::module::test::{{closure}}`
    let path = type_name::<F>().trim_end_matches("::{{closure}}");
    let (_, name) = path.split_once("::").expect("the closure is in a function");
    if env::var(TEST).is_ok_and(|test| test == name) {
        return body();
    }
    let mut command = Command::new(env::current_exe().expect("a test has a path"));
    command.args(["--exact", name, "--nocapture"]).env(TEST, name);
    let output = command.output().expect("the program starts");
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success() && stdout.contains("1 passed"), "{stdout}{stderr}");
}
