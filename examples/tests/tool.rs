//! What people see of the tool in Rust.

use std::process::{Command, Output};

fn tool(arguments: &[&str]) -> Output {
    let test = std::env::current_exe().expect("the test knows where it is");
    let profile = test.ancestors().nth(2).expect("tests are in a directory of the profile's");
    Command::new(profile.join("examples/tool")).args(arguments).output().expect("the example is built")
}

#[test]
fn variables_are_listed_and_sampled_while_the_ring_runs() {
    let output = tool(&[]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let printed = String::from_utf8_lossy(&output.stdout);
    for line in [
        "unexpected_queue_length             LEVEL          UNSIGNED_LONG_LONG  COMM",
        "calls_p2p_seconds                   TIMER          DOUBLE              ",
    ] {
        assert!(printed.lines().any(|printed| printed == line), "{line} in\n{printed}");
    }
    let samples = "
laps  pml_monitoring_messages_total  pml_monitoring_bytes_total
  10                             10                          40
  20                             20                          80
  30                             30                         120
";
    assert!(printed.ends_with(samples), "{printed}");
}

#[test]
fn a_variable_that_is_asked_for_is_sampled_and_one_that_is_not_there_is_an_error() {
    let output = tool(&["pml_monitoring_messages_count", "calls_p2p_seconds"]);
    let printed = String::from_utf8_lossy(&output.stdout);
    let last = printed.lines().last().expect("it prints samples").split_whitespace().collect::<Vec<_>>();
    assert_eq!(last[..2], ["30", "30"], "{printed}");
    assert!(last[2].parse::<f64>().is_ok_and(|seconds| seconds > 0.0), "{printed}");

    let output = tool(&["no_such_variable"]);
    assert!(!output.status.success());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("rank 0"), "{told}");
}
