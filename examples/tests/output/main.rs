//! Output of the examples.

mod queues;
mod ring;
mod tool;

use std::process::Command;

/// Returns a command that runs an example, which cargo builds with the tests.
fn example(name: &str) -> Command {
    let test = std::env::current_exe().expect("the test knows where it is");
    let profile = test.ancestors().nth(2).expect("tests are in a directory of the profile's");
    Command::new(profile.join("examples").join(name))
}

/// Returns the output of a command that succeeds without messages.
fn printed(command: &mut Command) -> String {
    let output = command.output().expect("the example is built");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
