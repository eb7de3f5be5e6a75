//! Tools in programs: C programs that use MPI_T in unusual ways, and check the results themselves.

use mpit_tests::{Outcome, launch::Job, stacks};

use crate::MONITORED;

/// Runs a program whose checks all hold: it ends with 0, and each rank prints one line that ends with `summary`.
fn succeeds(program: &str, ranks: u32, settings: &[(&str, &str)], summary: &str) -> Outcome {
    stacks::on_each(program, |stack| {
        let job = Job::mpi(stack, ranks).arg(stack.compile_tool(program)?);
        let finished = job.under_mpit(settings)?.succeed()?;
        let summaries = finished.stdout.lines().filter(|line| line.ends_with(summary)).count();
        finished.expect(summaries == ranks as usize)
    })
}

/// Events of messages, on libraries with and without an event interface of their own; also while monitoring counts them.
#[test]
fn a_tool_receives_each_message_once() -> Outcome {
    succeeds("events", 3, &[], ", 0 failures")?;
    succeeds("events", 3, &[MONITORED], ", 0 failures")
}

/// Tables of `mpit_plugin.h` that a program registers with the preload library.
#[test]
fn tables_bind_to_communicators() -> Outcome {
    stacks::on_each("tables", |stack| {
        let program = stack.compile_tool("tables")?;
        let job = Job::mpi(stack, 3).env("TAB_LIMIT", "31").env("MPIT_TAB_OLD_TEXT", "text");
        let finished = job.env("MPIT_TAB_LABEL", "stated").arg(program).under_mpit(&[])?.succeed()?;
        finished.expect_printed("the table is right: yes")
    })
}

/// Handles on variables of the library, while other threads free them and while MPI ends.
#[test]
fn freed_host_handles_are_error_codes() -> Outcome {
    stacks::on_each("freed_handles", |stack| {
        // Freed memory is overwritten, so that a use after free crashes.
        let job =
            Job::mpi(stack, 1).arg(stack.compile("freed_handles")?).env("MALLOC_PERTURB_", "90").seconds(300);
        job.under_mpit(&[MONITORED])?.succeed()?.expect_printed("done")
    })
}

/// Forks while another thread is inside MPI_T.
/// Proves R320.
#[test]
fn forked_child_waits_for_no_lock() -> Outcome {
    succeeds("fork", 1, &[MONITORED], "fork: 0 children hang or fail")
}

/// Guarantees of MPI_T over many calls and several initializations of MPI and MPI_T.
#[test]
fn callback_contracts_are_kept() -> Outcome {
    succeeds("callback_contracts", 2, &[MONITORED], ": 0 contracts broken")
}

#[test]
fn objects_freed_in_use_are_identified() -> Outcome {
    succeeds("used_while_freed", 3, &[MONITORED], ": 0 failures")
}

#[test]
fn object_events_need_no_monitoring() -> Outcome {
    succeeds("object_events", 2, &[], ": 0 failures")
}

#[test]
fn invalid_tool_calls_change_nothing() -> Outcome {
    stacks::on_each("tool_edge_cases", |stack| {
        let program = stack.compile("tool_edge_cases")?;
        for when in ["early", "late"] {
            let finished = Job::mpi(stack, 1).arg(&program).arg(when).under_mpit(&[MONITORED])?.succeed()?;
            let printed = |line| finished.stdout.lines().any(|printed| printed == line);
            finished.expect(["1 settings", "in a sandbox", "0 failures"].into_iter().all(printed))?;
        }
        Ok(())
    })
}

#[test]
fn mpi_t_tools_load_the_library() -> Outcome {
    stacks::on_each("tool_only", |stack| {
        let finished = Job::alone(stack).arg(stack.compile_tool("tool_only")?).succeed()?;
        finished.expect(finished.stdout == "1 1 1 1\n")
    })
}
