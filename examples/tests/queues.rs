//! What people see of the example with queues and a window.

use std::process::Command;

#[test]
fn the_queues_are_shown_with_the_receives_that_were_late() {
    let test = std::env::current_exe().expect("the test knows where it is");
    let profile = test.ancestors().nth(2).expect("tests are in a directory of the profile's");
    let output = Command::new(profile.join("examples/queues")).output().expect("the example is built");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let expected = "           longest queue   late receives
rank 0                 6               2
rank 1                 3               0
rank 2                 4               0
rank 3                 5               1
";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}
