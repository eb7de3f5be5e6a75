//! Output of the tool in Rust.

use crate::{example, printed};

#[test]
fn variables_are_sampled_during_the_ring() {
    let printed = printed(&mut example("tool"));
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
fn named_variables_are_sampled_or_errors() {
    let printed = printed(example("tool").args(["pml_monitoring_messages_count", "calls_p2p_seconds"]));
    let last = printed.lines().last().expect("it prints samples").split_whitespace().collect::<Vec<_>>();
    assert_eq!(last[..2], ["30", "30"], "{printed}");
    assert!(last[2].parse::<f64>().is_ok_and(|seconds| seconds > 0.0), "{printed}");

    let output = example("tool").arg("no_such_variable").output().expect("the example is built");
    assert!(!output.status.success());
    let reported = String::from_utf8_lossy(&output.stderr);
    assert!(reported.contains("rank 0"), "{reported}");
}
