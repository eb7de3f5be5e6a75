//! MPI libraries written in C that show what they have through `mpit_plugin.h` and `libmpit.so`.
//!
//! Of the stacks only the header is used: the library is the one that the test brings.

use mpit_tests::{
    Failure, Outcome,
    launch::Job,
    stacks::{self, Stack},
};

#[test]
fn a_tool_reads_what_a_library_in_c_registered_and_hears_of_its_events() -> Outcome {
    stacks::for_each("implementor", Stack::is_standard_abi, |stack| {
        let program = stack.compile_over_embedded("implementor_tool", &["implementor"])?;
        let job = Job::plain(&[]).arg(program).env("MPIT_IMPL_LABEL", "stated");
        let finished = job.succeed()?;
        Failure::unless(finished.stdout.contains("heard of 4 barriers, 0 failures"), || {
            finished.to_string()
        })?;
        // The tool has the library register its tables twice.
        let lines: Vec<_> = finished.stderr.lines().filter(|line| line.starts_with("mpit: ")).collect();
        let told = matches!(lines[..], [line] if line.contains("implementor: event `impl_entered` at implementor:1: its cell"));
        Failure::unless(told, || finished.to_string())
    })
}

#[test]
fn r016_r249_r252_r262_events_of_a_library_are_heard_through_the_preload_library() -> Outcome {
    stacks::for_each("library_events", Stack::is_standard_abi, |stack| {
        let program = stack.compile_over_own_mpi("little_tool", "little_mpi")?;
        let finished = Job::plain(&[]).arg(program).preloaded()?.succeed()?;
        Failure::unless(finished.stdout.contains("heard of 2 steps, 0 failures"), || finished.to_string())
    })
}

#[test]
fn tables_with_a_mistake_are_refused_as_a_whole_in_one_line_that_names_it() -> Outcome {
    stacks::for_each("register_refusals", Stack::is_standard_abi, |stack| {
        let program = stack.compile_over_embedded("register_refusals", &[])?;
        let finished = Job::plain(&[]).arg(program).succeed()?;
        let expected: Vec<_> =
            finished.stdout.lines().filter_map(|line| line.strip_prefix("expected: ")).collect();
        let told: Vec<_> = finished.stderr.lines().collect();
        Failure::unless(expected.len() > 40 && told.len() == expected.len(), || finished.to_string())?;
        for (expected, told) in expected.into_iter().zip(told) {
            Failure::unless(told.starts_with("mpit: ") && told.contains(expected), || {
                format!("expected `{expected}`, but it is told:\n{told}")
            })?;
        }
        Ok(())
    })
}
