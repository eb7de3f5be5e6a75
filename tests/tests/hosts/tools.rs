//! Tools in programs: C programs that use MPI_T in unusual ways, and check the results themselves.

use std::fs;

use mpit_tests::{Context, Failure, Finished, Job, Outcome, build, stacks};

use crate::{MONITORED, on_each_family_in_dir, recorded, rows};

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
    succeeds("events", 3, &[], ": 0 failures")?;
    succeeds("events", 3, &[MONITORED], ": 0 failures")
}

/// Tables of `mpit_plugin.h` that a program registers with the preload library.
#[test]
fn tables_bind_to_communicators() -> Outcome {
    stacks::on_each("tables", |stack| {
        let program = stack.compile_tool("tables")?;
        let job = Job::mpi(stack, 3).env("TAB_LIMIT", "31").env("MPIT_TAB_OLD_TEXT", "text");
        let finished = job.env("MPIT_TAB_LABEL", "stated").arg(program).under_mpit(&[])?.succeed()?;
        finished.expect_printed("rank 0: 0 failures")
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

/// Without `mpit run`, which makes processes describe all communicators, so that they are known before there is a listener.
#[test]
fn object_events_need_no_monitoring() -> Outcome {
    stacks::on_each("object_events", |stack| {
        let job = Job::mpi(stack, 2).arg(stack.compile_tool("object_events")?).preloaded_with(&[])?;
        let finished = job.succeed()?;
        finished.expect(finished.stdout.matches(": 0 failures").count() == 2)
    })
}

#[test]
fn invalid_tool_calls_change_nothing() -> Outcome {
    stacks::on_each("tool_edge_cases", |stack| {
        let program = stack.compile("tool_edge_cases")?;
        for when in ["early", "late"] {
            let finished = Job::mpi(stack, 1).arg(&program).arg(when).under_mpit(&[MONITORED])?.succeed()?;
            let printed = |line| finished.stdout.lines().any(|printed| printed == line);
            finished.expect(["1 settings", "in a sandbox", "rank 0: 0 failures"].into_iter().all(printed))?;
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

#[test]
fn calls_are_counted_and_timed_by_area() -> Outcome {
    stacks::on_each("calls", |stack| {
        let program = stack.compile("calls")?;
        let file = stack.scratch("calls")?.join("file");
        Job::mpi(stack, 2).arg(program).arg(file).under_mpit(&[])?.succeed().map(drop)
    })
}

/// Callbacks of tools and functions of plug-ins that make calls, and wait for threads that make calls: mpit
/// holds no lock while foreign code runs.
#[test]
fn callbacks_may_make_calls() -> Outcome {
    on_each_family_in_dir("reentrant", |stack, dir| {
        let acme = dir.join("acme");
        fs::create_dir_all(&acme).context(acme.display())?;
        let job = Job::mpi(stack, 1)
            .arg(stack.compile_tool("reentrant")?)
            .env("MPIT_PLUGINS", build::plugin("reentrant")?)
            .env("MPIT_REENTRANT_SETTING", "1")
            .env("REENTRANT_OTHER", build::plugin("component")?)
            .env("ACME_DIR", &acme);
        let (finished, profs) = recorded(job, dir, 1)?;
        finished.expect(finished.stdout.trim() == "done")?;
        let sent = profs[0].rows('E').get(&0).map(|row| row.messages);
        Failure::unless(sent >= Some(1), || format!("the program's own message is missing: {sent:?}"))?;
        // Opened at MPI_Init, and closed by another thread while a component was being opened.
        let times = rows::of_lines(&acme.join("pml.0"))?;
        let times = times.get(&("times".to_owned(), "all".to_owned())).copied();
        Failure::unless(times == Some((1, 1)), || format!("opened and closed: {times:?}"))
    })
}

/// Programs and libraries with variables of their own that are not MPI libraries.
#[test]
fn middleware_is_visible_where_mpit_is() -> Outcome {
    stacks::on_each_family("middleware", |stack| {
        let program = stack.compile("middleware")?;
        let says = |finished: &Finished, line| {
            finished.expect(finished.stdout.lines().any(|printed| printed == line))
        };
        let bare = Job::mpi(stack, 1).arg(&program).succeed()?;
        says(&bare, NOT_VISIBLE)?;
        let watched = Job::mpi(stack, 1).arg(&program).under_mpit(&[])?.succeed()?;
        says(&watched, "visible, 3 retries, 0 failures")?;

        // Settings of the program, which `mpit run` does not know; what nothing takes is reported once.
        let settings = [("middleware_limit", "7"), ("middleware_bound", "7")];
        let set = Job::mpi(stack, 2).arg(&program).under_mpit(&settings)?.succeed()?;
        says(&set, "limit 7")?;
        let reported: Vec<_> = set.stderr.lines().filter(|line| line.starts_with("mpit: ")).collect();
        let is_reported = matches!(reported[..], [line] if line.contains("--set: no control variable is called `middleware_bound`"));
        set.expect(is_reported)?;

        // A likely mistake: linked with the library for MPI implementors.
        let misplaced = stack.compile_beside_embedded("middleware")?;
        let finished = Job::mpi(stack, 1).arg(&misplaced).succeed()?;
        says(&finished, NOT_VISIBLE)?;
        let reported: Vec<_> = finished.stderr.lines().filter(|line| line.starts_with("mpit: ")).collect();
        finished.expect(
            matches!(reported[..], [line] if line.contains("libmpit.so") && line.contains("libmpi")),
        )?;
        let watched = Job::mpi(stack, 1).arg(&misplaced).under_mpit(&[])?.succeed()?;
        says(&watched, "visible, 3 retries, 0 failures")
    })
}

const NOT_VISIBLE: &str = "not visible, 0 retries, 0 failures";
