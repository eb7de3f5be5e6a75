//! A plug-in in an MPI program: loaded while MPI runs, and deactivated.

use mpit_tests::{Job, Outcome, plugins, stacks};

/// Proves R316.
#[test]
fn plugin_is_listed_last_and_handles_expire() -> Outcome {
    stacks::on_each("plugin_lifecycle", |stack| {
        let dir = stack.scratch("plugin_lifecycle")?;
        let good = plugins::good(&dir, "acme")?;
        let program = stack.compile_tool("plugin_lifecycle")?;
        let finished = Job::mpi(stack, 1).arg(program).arg(good).preloaded()?.succeed()?;
        let reported: Vec<_> = finished.stderr.lines().filter(|line| line.starts_with("mpit: ")).collect();
        finished.expect(matches!(reported[..], [again, file, number]
            if again.contains("it was deactivated") && file.contains("/nowhere/acme.so") && number.contains(" 5")))
    })
}
