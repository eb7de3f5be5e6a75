//! The output of `mpit vars` for an MPI library.

use std::fs;

use mpit_tests::{Context, Failure, Job, Outcome, Stack, stacks};

use crate::MONITORED;

/// Runs `ring` in the environment that `mpit vars -- mpiexec ...` sets for its command; returns the list.
fn listed(
    stack: &Stack,
    test: &str,
    with: impl Fn(Job) -> Job,
    settings: &[(&str, &str)],
) -> Outcome<String> {
    let dir = stack.scratch(test)?;
    let list = dir.join("list.json");
    let job = Job::mpi(stack, 2).arg(stack.compile("ring")?).dir(&dir).env("MPIT_LISTING_FILE", &list);
    with(job).under_mpit(settings)?.succeed()?;
    fs::read_to_string(&list).context(list.display())
}

#[test]
fn one_process_lists_library_and_mpit() -> Outcome {
    stacks::on_each("vars", |stack| {
        let text = listed(stack, "vars", |job| job, &[])?;
        for wanted in ["\"name\":\"pml_monitoring_flush\"", "\"own\":true", "\"own\":false", "ABI\""] {
            Failure::unless(text.contains(wanted), || format!("{wanted} is not in\n{text}"))?;
        }
        // A tool that tries an event takes the first one, and has no object for it.
        let first = text.split_once("\"events\":[").and_then(|(_, events)| events.split_once("\"bind\":"));
        let (_, bind) = first.context("an event")?;
        Failure::unless(bind.starts_with("\"NO_OBJECT\""), || format!("event 0 is bound:\n{text}"))
    })
}

/// Tests tools that stop at the first refused entry: without mpit they stop early on Open MPI, which lists
/// entries of components that are not in use.
#[test]
fn fragile_tools_reach_the_end() -> Outcome {
    stacks::for_each("strict_tool", Stack::is_open_mpi, |stack| {
        let program = stack.compile("strict_tool")?;
        // The number of used entries, and that of all.
        let used = |text: &str| -> Vec<(String, String)> {
            let count = |line: &str| {
                let (used, all) = line.split_once(' ')?.1.split_once(" of ")?;
                Some((used.to_owned(), all.to_owned()))
            };
            text.lines().filter_map(count).collect()
        };
        let bare = Job::alone(stack).arg(&program).succeed()?;
        let counts = used(&bare.stdout);
        bare.expect(counts.len() == 2 && counts.iter().all(|(used, all)| used != all))?;
        let under = Job::alone(stack).arg(&program).under_mpit(&[])?.succeed()?;
        let counts = used(&under.stdout);
        under.expect(counts.len() == 2 && counts.iter().all(|(used, all)| used == all))
    })
}

/// Tests that each control variable accepts the value that it has, and that no handle of before `MPI_Init` leads to a component that is
/// unloaded since.
#[test]
fn values_can_be_written_back() -> Outcome {
    stacks::on_each("written_back", |stack| {
        let job =
            Job::alone(stack).arg(stack.compile("strict_tool")?).arg("values").under_mpit(&[MONITORED])?;
        job.succeed()?.expect_printed("\nall values written back\n")
    })
}

/// Entries of mpit by name and by category, and entries of each library by prefix.
const HIDDEN: &str = "pml_monitoring_flush,calls,pml_monitoring_message_sizes,btl_*,MPIR_CVAR_BCAST_*";

#[test]
fn hidden_entries_are_not_listed() -> Outcome {
    stacks::on_each("hidden", |stack| {
        let text = listed(stack, "hidden", |job| job, &[("hidden_entries", HIDDEN)])?;
        let hidden = [
            "\"pml_monitoring_flush\"",
            "\"pml_monitoring_message_sizes\"",
            "\"calls\"",
            "\"calls_",
            "\"name\":\"btl_base_",
            "\"name\":\"MPIR_CVAR_BCAST_",
        ];
        for name in hidden {
            Failure::unless(!text.contains(name), || format!("{name} is in\n{text}"))?;
        }
        let shown = text.contains("\"pml_monitoring_messages_count\"") && text.contains("\"own\":false");
        Failure::unless(shown, || format!("what is not hidden is not in\n{text}"))
    })
}

/// Tests the entries that break TAU: the histogram is longer than its buffer, and TAU stops at variables of
/// windows.
#[test]
fn entries_that_crash_tools_are_hidden() -> Outcome {
    stacks::on(&["mpich5.0.2"], "fragile", |stack| {
        let tool = stacks::c_variant(None, "fragile_tool", "libfragile_tool.so", &["-shared", "-fPIC"])?;
        for (hidden, is_listed) in [("", false), ("calls", true)] {
            let with_tool = |job: Job| job.env("LD_PRELOAD", &tool);
            let text = listed(stack, "fragile", with_tool, &[("hidden_entries", hidden)])?;
            let has = |name: &str| text.contains(&format!("\"{name}\""));
            let histogram = has("pml_monitoring_messages_histogram");
            let of_windows = has("osc_monitoring_window_bytes_sent_total");
            let is_right = histogram == is_listed && of_windows == is_listed;
            Failure::unless(has("pml_monitoring_messages_count") && is_right, || text.clone())?;
        }
        Ok(())
    })
}

/// Tests that the list is that of the end, and marks late entries, also of a plug-in that is loaded late.
#[test]
fn late_entries_are_marked() -> Outcome {
    stacks::on(&["ompi4.1.4", "mpich5.0.2"], "vars_late", |stack| {
        let job = Job::mpit(&["vars", "--json", "--"])?.on(stack).args(stack.mpiexec(1));
        let job = job.arg(stack.compile_tool("late_variable")?).dir(&stack.scratch("vars_late")?);
        let finished = job.succeed()?;
        let entry = |name: &str| {
            let name = format!("\"name\": \"{name}\"");
            finished.stdout.split("    {").find(|entry| entry.contains(&name))
        };
        let late = |name: &str| entry(name).map(|entry| entry.contains("\"late\": true"));
        let found = (late("late_level"), late("pml_monitoring_flush"));
        Failure::unless(found == (Some(true), Some(false)), || format!("{found:?}\n{finished}"))
    })
}
