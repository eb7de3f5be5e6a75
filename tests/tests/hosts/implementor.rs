//! C code that exports entries by `mpit_plugin.h` and `libmpit.so`.
//!
//! Only the header of a stack is used: the test brings its own library.

use mpit_tests::{Failure, Job, Outcome, Stack, stacks};

/// Proves R16, R249, R252, R262.
#[test]
fn library_events_reach_a_preload_tool() -> Outcome {
    stacks::for_each("library_events", Stack::is_standard_abi, |stack| {
        let program = stack.compile_over_own_mpi("minimal_mpi_tool", "minimal_mpi")?;
        Job::plain(&[]).arg(program).preloaded()?.succeed()?.expect_printed("received 2 steps, 0 failures")
    })
}

#[test]
fn a_bad_table_is_refused_in_one_line() -> Outcome {
    stacks::for_each("register_refusals", Stack::is_standard_abi, |stack| {
        let program = stack.compile_over_embedded("register_refusals")?;
        let finished = Job::plain(&[]).arg(program).succeed()?;
        let expected: Vec<_> =
            finished.stdout.lines().filter_map(|line| line.strip_prefix("expected: ")).collect();
        let reported: Vec<_> = finished.stderr.lines().collect();
        finished.expect(expected.len() > 40 && reported.len() == expected.len())?;
        for (expected, reported) in expected.into_iter().zip(reported) {
            Failure::unless(reported.starts_with("mpit: ") && reported.contains(expected), || {
                format!("expected `{expected}`, but the message is:\n{reported}")
            })?;
        }
        Ok(())
    })
}
