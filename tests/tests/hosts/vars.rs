//! The output of `mpit vars` for an MPI library.

use mpit_tests::{Context, Failure, Outcome, build, launch::Job, stacks};
use std::fs;

const RANKS: u32 = 2;

#[test]
fn one_process_lists_library_and_mpit() -> Outcome {
    stacks::on_each("vars", |stack| {
        let dir = stack.scratch("vars")?;
        let program = stack.compile("ring")?;
        let list = dir.join("list.json");
        // The environment that `mpit vars -- mpiexec ...` sets for its command.
        let job = Job::mpi(stack, RANKS).arg(program).dir(&dir).env("MPIT_LISTING_FILE", &list);
        job.under_mpit(&[])?.succeed()?;
        let text = fs::read_to_string(&list).context(list.display())?;
        for wanted in ["\"name\":\"pml_monitoring_flush\"", "\"own\":true", "\"own\":false", "ABI\""] {
            Failure::unless(text.contains(wanted), || format!("{} lacks {wanted}", list.display()))?;
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
    let is_open_mpi = |stack: &stacks::Stack| stack.vendor() == stacks::Vendor::OpenMpi;
    stacks::for_each("strict_tool", is_open_mpi, |stack| {
        let program = stack.compile("strict_tool")?;
        // Kind, number of used entries, and number of all.
        let used = |text: &str| -> Vec<(String, String, String)> {
            let counts = text
                .lines()
                .filter_map(|line| line.split_once(' ')?.1.split_once(" of ").map(|both| (line, both)));
            counts
                .map(|(line, (used, all))| (line[..5].to_owned(), used.to_owned(), all.to_owned()))
                .collect()
        };
        let bare = Job::alone(stack).arg(&program).succeed()?;
        let stops = used(&bare.stdout).iter().all(|(_, used, all)| used != all);
        Failure::unless(used(&bare.stdout).len() == 2 && stops, || bare.to_string())?;
        let under = Job::alone(stack).arg(&program).under_mpit(&[])?.succeed()?;
        let reaches = used(&under.stdout).iter().all(|(_, used, all)| used == all);
        Failure::unless(used(&under.stdout).len() == 2 && reaches, || under.to_string())
    })
}

/// Entries of mpit by name and by category, and entries of each library by prefix.
const HIDDEN: &str = "pml_monitoring_flush,calls,pml_monitoring_message_sizes,btl_*,MPIR_CVAR_BCAST_*";

#[test]
fn hidden_entries_are_not_listed() -> Outcome {
    stacks::on_each("hidden", |stack| {
        let dir = stack.scratch("hidden")?;
        let program = stack.compile("ring")?;
        let list = dir.join("list.json");
        let job = Job::mpi(stack, RANKS).arg(program).dir(&dir).env("MPIT_LISTING_FILE", &list);
        job.under_mpit(&[("hidden_entries", HIDDEN)])?.succeed()?;
        let text = fs::read_to_string(&list).context(list.display())?;
        let hidden = [
            "\"pml_monitoring_flush\"",
            "\"pml_monitoring_message_sizes\"",
            "\"calls\"",
            "\"calls_",
            "\"name\":\"btl_base_",
            "\"name\":\"MPIR_CVAR_BCAST_",
        ];
        for name in hidden {
            Failure::unless(!text.contains(name), || format!("{} has {name}", list.display()))?;
        }
        let shown = text.contains("\"pml_monitoring_messages_count\"") && text.contains("\"own\":false");
        Failure::unless(shown, || format!("{} lacks what is not hidden", list.display()))
    })
}

/// Tests the entries that break TAU: the histogram is longer than its buffer, and TAU stops at variables of
/// windows.
#[test]
fn entries_that_crash_tools_are_hidden() -> Outcome {
    stacks::for_each(
        "fragile",
        |stack| stack.label() == "mpich5.0.2",
        |stack| {
            let tool = build::c_variant(None, "fragile_tool", "libfragile_tool.so", &["-shared", "-fPIC"])?;
            let dir = stack.scratch("fragile")?;
            let program = stack.compile("ring")?;
            let list = dir.join("list.json");
            for (hidden, is_listed) in [("", false), ("calls", true)] {
                let job = Job::mpi(stack, RANKS).arg(&program).dir(&dir).env("MPIT_LISTING_FILE", &list);
                job.env("LD_PRELOAD", &tool).under_mpit(&[("hidden_entries", hidden)])?.succeed()?;
                let text = fs::read_to_string(&list).context(list.display())?;
                let has = |name: &str| text.contains(&format!("\"{name}\""));
                let histogram = has("pml_monitoring_messages_histogram");
                let of_windows = has("osc_monitoring_window_bytes_sent_total");
                let is_right = histogram == is_listed && of_windows == is_listed;
                Failure::unless(has("pml_monitoring_messages_count") && is_right, || text.clone())?;
            }
            Ok(())
        },
    )
}

/// Tests that the list is that of the end, and marks late entries, also of a plug-in that is loaded late.
#[test]
fn late_entries_are_marked() -> Outcome {
    stacks::for_each(
        "vars_late",
        |stack| ["ompi4.1.4", "mpich5.0.2"].contains(&stack.label()),
        |stack| {
            let dir = stack.scratch("vars_late")?;
            let program = stack.compile_tool("late_variable")?;
            let mut job = Job::alone(stack).arg(&build::artifacts()?.mpit).args(&["vars", "--json", "--"]);
            for word in stack.mpiexec(1) {
                job = job.arg(word);
            }
            let finished = job.arg(program).dir(&dir).succeed()?;
            let entry = |name: &str| {
                let name = format!("\"name\": \"{name}\"");
                finished.stdout.split("    {").find(|entry| entry.contains(&name))
            };
            let late = |name: &str| entry(name).map(|entry| entry.contains("\"late\": true"));
            let found = (late("late_level"), late("pml_monitoring_flush"));
            Failure::unless(found == (Some(true), Some(false)), || format!("{found:?}\n{finished}"))
        },
    )
}
