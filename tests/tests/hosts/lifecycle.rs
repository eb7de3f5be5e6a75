//! Initialization and finalization of MPI and MPI_T in every order that the standard allows, and recording from the
//! beginning to the end, in the world model and with sessions.

use std::{collections::BTreeMap, fs};

use mpit_tests::{Context, Failure, Job, Outcome, Stack, stacks};

use crate::{MONITORED, each_sent, equal, recorded};

/// Sequences of steps. i: `MPI_T_init_thread`, f: `MPI_T_finalize`, I: `MPI_Init`, F: `MPI_Finalize`, q:
/// queries, n: queries that must fail because MPI_T is not initialized, x: one `MPI_T_finalize` too many.
const SEQUENCES: &str = "iqf iIqFf IiqFf ifIF IFiqf iqIqfF IiqfF ififIF IFifif iqIqFqf iiqfqIqFf IiqfiqfF \
    niqfniqfn iiiqfqfqfn iifiqfiqfqfn ifxniqfnIF IifxxiqfnF";

/// Proves R19, R21, R22, R23, R29.
#[test]
fn interfaces_open_and_close_in_any_order() -> Outcome {
    stacks::on_each("lifecycle", |stack| {
        let sequences: Vec<_> = SEQUENCES.split_whitespace().map(str::to_owned).collect();
        let mut ends = ends_of(stack, "lifecycle", &sequences, true)?;
        ends.retain(|_, end| *end != WELL);
        equal("sequences with failures", &ends, &BTreeMap::new())
    })
}

/// The environment variable with the maximum length of orders, instead of 4. If it is set, the library is
/// tested without mpit for comparison, too: 6 takes some minutes, 8 an hour.
const STEPS: &str = "MPIT_TEST_ORDERS";

/// The exit status of a process without failures.
const WELL: &str = "0";

/// Up to so many failed orders are repeated alone.
const FEW: usize = 16;

/// Tests all balanced orders of initialization and finalization, with and without queries in between: an
/// order that works without mpit has to work with it. Failures are printed beside the library's own results.
/// Proves R19, R29.
#[test]
fn every_order_works_as_without_mpit() -> Outcome {
    let requested = std::env::var(STEPS).ok();
    let steps = requested.as_deref().unwrap_or("4").parse().context(STEPS)?;
    stacks::on_each("init_orders", |stack| {
        let ours = ends_of_orders(stack, steps, true)?;
        let failing: Vec<_> = ours.iter().filter(|(_, end)| *end != WELL).collect();
        println!("{}: {} orders, {} fail", stack.label(), ours.len(), failing.len());
        Failure::unless(ours.len() > 40, || format!("only {} orders were tried", ours.len()))?;
        if failing.is_empty() && requested.is_none() {
            return Ok(());
        }
        let bare = ends_of_orders(stack, steps, false)?;
        let failing_bare = bare.values().filter(|end| *end != WELL).count();
        println!("{} without mpit: {failing_bare} fail", stack.label());
        let mut worse = Vec::new();
        for (order, end) in failing {
            let bare = bare.get(order).map_or("not tried", String::as_str);
            println!("{}: {order}: {end}; without mpit: {bare}", stack.label());
            if bare == WELL {
                worse.push(format!("{order}: {end}, but {WELL} without mpit"));
            }
        }
        Failure::unless(worse.is_empty(), || worse.join("\n"))
    })
}

/// Returns the exit status, or the signal, of each order of up to `steps` steps: without queries, and with queries before the
/// first step and after each one.
fn ends_of_orders(stack: &Stack, steps: usize, with_mpit: bool) -> Outcome<BTreeMap<String, String>> {
    let mut orders = Vec::new();
    for length in (2..=steps).step_by(2) {
        extend("", length, &mut orders);
    }
    let queried: Vec<_> = orders.iter().map(|order| with_queries(order)).collect();
    ends_of(stack, "init_orders", &[orders, queried].concat(), with_mpit)
}

/// Adds all balanced orders that begin with `order` and have `left` more steps.
fn extend(order: &str, left: usize, all: &mut Vec<String>) {
    let count = |steps: &[char]| order.matches(steps).count();
    let (open, initialized) = (count(&['i', 'm']) - count(&['f']), count(&['I']) - count(&['F']));
    if open + initialized > left {
        return;
    }
    if left == 0 {
        all.push(order.to_owned());
        return;
    }
    for step in ['i', 'm', 'f', 'I', 'F'] {
        let is_possible = match step {
            'f' => open > 0,
            'I' => !order.contains('I'),
            'F' => initialized > 0,
            _ => true,
        };
        if is_possible {
            extend(&format!("{order}{step}"), left - 1, all);
        }
    }
}

fn with_queries(order: &str) -> String {
    let (mut sequence, mut open) = ("u".to_owned(), 0);
    for step in order.chars() {
        match step {
            'i' | 'm' => open += 1,
            'f' => open -= 1,
            _ => {}
        }
        sequence.extend([step, if open > 0 { 'q' } else { 'u' }]);
    }
    sequence
}

/// Returns the exit status, or the signal, of each order.
fn ends_of(
    stack: &Stack,
    test: &str,
    orders: &[String],
    with_mpit: bool,
) -> Outcome<BTreeMap<String, String>> {
    let mut ends = run_together(stack, test, orders, with_mpit)?;
    let failed: Vec<_> =
        ends.iter().filter(|(_, end)| *end != WELL).map(|(order, _)| order.clone()).collect();
    // Concurrent starts of a library may disturb each other, which these tests do not measure.
    for order in if failed.len() <= FEW { failed } else { Vec::new() } {
        println!("{}: {order} ended with {} in company, and is tried alone", stack.label(), ends[&order]);
        ends.extend(run_together(stack, test, &[order], with_mpit)?);
    }
    Ok(ends)
}

/// Runs each order in a process of its own, without a launcher: it initializes MPI as a singleton. The processes
/// mostly wait, so there are more of them at a time than processors.
fn run_together(
    stack: &Stack,
    test: &str,
    orders: &[String],
    with_mpit: bool,
) -> Outcome<BTreeMap<String, String>> {
    let list = stack.scratch(test)?.join("orders");
    fs::write(&list, orders.join("\n")).context(list.display())?;
    // Crash reports of libraries would obscure the results. `--foreground` keeps each process in the group of the job, which
    // the job's own limit ends as a whole.
    let script =
        r#"exec 2> /dev/null; timeout --foreground -k 5 300 "$0" "$1" > /dev/null; echo "order: $1: $?""#;
    let job = Job::alone(stack).args(["xargs", "-P", "12", "-n", "1", "-a"]).arg(&list);
    let job = job.args(["sh", "-c", script]).arg(stack.compile("lifecycle")?).seconds(3600);
    let job = if with_mpit { job.under_mpit(&[MONITORED])? } else { job };
    let finished = job.succeed()?;
    let line = |line: &str| {
        let (order, end) = line.strip_prefix("order: ")?.split_once(": ")?;
        let end = match end.parse() {
            Ok(code @ 129..=192) => format!("signal {}", code - 128),
            _ => end.to_owned(),
        };
        Some((order.to_owned(), end))
    };
    let ends: BTreeMap<_, _> = finished.stdout.lines().filter_map(line).collect();
    finished.expect(ends.len() == orders.len())?;
    Ok(ends)
}

/// Proves R35.
#[test]
fn abort_without_finalize_is_silent() -> Outcome {
    stacks::on_each("abort", |stack| {
        let program = stack.compile("lifecycle")?;
        let finished = Job::mpi(stack, 1).arg(program).arg("iiIqA").under_mpit(&[MONITORED])?.finish()?;
        // Anywhere in a line, because launchers print about an abort at the same time.
        finished.expect(finished.code != Some(0) && !finished.stderr.contains("mpit: "))
    })
}

/// Proves R31.
#[test]
fn spawned_process_is_not_initialized() -> Outcome {
    // The launchers of the others cannot spawn on every machine.
    stacks::for_each("spawn", Stack::is_open_mpi, |stack| {
        let program = stack.compile("lifecycle")?;
        Job::mpi(stack, 1).arg(program).arg("iIsFf").under_mpit(&[MONITORED])?.succeed().map(drop)
    })
}

/// Returns true for stacks with sessions, which Open MPI has since version 5.
pub(crate) fn has_sessions(stack: &Stack) -> bool {
    stack.label() != "ompi4.1.4"
}

#[test]
fn mpi_finalize_is_recorded_to_its_end() -> Outcome {
    stacks::on_each("finalize", |stack| {
        let job = Job::mpi(stack, 2).arg(stack.compile("finalize")?);
        let (_, profs) = recorded(job, &stack.scratch("finalize")?, 2)?;
        each_sent(&profs, |rank| (1 - rank, 1, 16))
    })
}

#[test]
fn sessions_raise_the_thread_level() -> Outcome {
    // Open MPI has sessions since version 5. MPICH and Intel MPI grant the session its level, and fail assertions
    // if its threads send at the same time.
    stacks::on(&["ompi5.0.11"], "thread_levels", |stack| {
        all_messages_are_recorded(stack, "thread_levels", &[])
    })
}

fn all_messages_are_recorded(stack: &Stack, directory: &str, args: &[&str]) -> Outcome {
    let job = Job::mpi(stack, 1).arg(stack.compile("thread_levels")?).args(args);
    let (finished, profs) = recorded(job, &stack.scratch(directory)?, 1)?;
    let sent = finished.stdout.split(' ').next().and_then(|number| number.parse::<u64>().ok());
    let sent = sent.context("the number of messages")?;
    let recorded: u64 = profs[0].rows('E').values().map(|row| row.messages).sum();
    Failure::unless(recorded == sent, || format!("{recorded} of {sent} messages were recorded"))
}

#[test]
fn the_world_raises_the_thread_level() -> Outcome {
    // MPICH, which had one thread at a time before, hangs without mpit, too.
    stacks::on(&["ompi5.0.11"], "thread_levels_world", |stack| {
        all_messages_are_recorded(stack, "thread_levels_world", &["world"])
    })
}

#[test]
fn session_programs_are_recorded() -> Outcome {
    stacks::for_each("sessions", has_sessions, |stack| {
        let job = Job::mpi(stack, 2).arg(stack.compile("session_only")?);
        let (finished, profs) = recorded(job, &stack.scratch("sessions")?, 2)?;
        finished.expect(finished.stdout.trim() == "2 processes")?;
        each_sent(&profs, |rank| (1 - rank, 1, 4))
    })
}
