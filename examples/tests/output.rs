//! Output of the examples.

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

#[test]
fn the_ring_shows_its_matrix_and_files() {
    let directory = tempfile::tempdir().expect("there is room for a directory");
    let expected = "\
messages      to 0    to 1    to 2    to 3
from 0           0      27       0       0
from 1           0       0      26       0
from 2           0       0       0      26
from 3          26       0       0       0

bytes         to 0    to 1    to 2    to 3
from 0           0     108       0       0
from 1           0       0     104       0
from 2           0       0       0     104
from 3         104       0       0       0

details are in prof/phase_1.{0..3}.prof
";
    assert_eq!(printed(example("ring").current_dir(&directory)), expected);

    for (rank, messages) in [27, 26, 26, 26].into_iter().enumerate() {
        let path = directory.path().join(format!("prof/phase_1.{rank}.prof"));
        let profile = std::fs::read_to_string(path).expect("each rank writes a file");
        let mut histogram = [0; 66];
        histogram[3] = messages;
        let histogram = histogram.map(|count| count.to_string()).join(",");
        let (to, bytes) = ((rank + 1) % 4, 4 * messages);
        let kinds =
            ["O2A", "A2O", "A2A"].map(|kind| format!("{kind}\t{rank}\t0 bytes\t0 msgs sent\n")).concat();
        let expected = format!(
            "# POINT TO POINT\n\
             E\t{rank}\t{to}\t{bytes} bytes\t{messages} msgs sent\t{histogram}\n\
             # OSC\n\
             # COLLECTIVES\n\
             D\tMPI_COMM_WORLD\tprocs: 0,1,2,3\n{kinds}\
             D\tMPI_COMM_SELF\tprocs: {rank}\n{kinds}"
        );
        assert_eq!(profile, expected);
    }
}

#[test]
fn the_hosts_own_messages_are_separate() {
    let directory = tempfile::tempdir().expect("there is room for a directory");
    let output = example("ring")
        .current_dir(&directory)
        .env("MPIT_PML_MONITORING_ENABLE", "2")
        .env("MPIT_PML_MONITORING_ENABLE_OUTPUT", "3")
        .env("MPIT_PML_MONITORING_FILENAME", "whole/run")
        .output()
        .expect("the example is built");
    assert!(output.status.success(), "{output:?}");
    // Rank 0 gathers two rows of four counts from each of the others.
    for (rank, to) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
        let path = directory.path().join(format!("whole/run.{rank}.prof"));
        let profile = std::fs::read_to_string(path).expect("each rank writes a file at its end");
        let pairs: Vec<_> = profile.lines().filter(|line| line.starts_with(['E', 'I'])).collect();
        assert!(pairs[0].starts_with(&format!("E\t{rank}\t{to}\t")), "{profile}");
        if rank == 0 {
            assert_eq!(pairs.len(), 1, "{profile}");
        } else {
            assert!(pairs[1].starts_with(&format!("I\t{rank}\t0\t64 bytes\t2 msgs sent")), "{profile}");
            assert_eq!(pairs.len(), 2, "{profile}");
        }
    }
}

#[test]
fn queues_are_shown_with_late_receives() {
    let expected = "           longest queue   late receives
rank 0                 6               2
rank 1                 3               0
rank 2                 4               0
rank 3                 5               1
";
    assert_eq!(printed(&mut example("queues")), expected);
}

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
