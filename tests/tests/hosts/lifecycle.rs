//! Initialization and finalization of MPI and MPI_T in every order that the standard allows.

use std::collections::BTreeMap;

use mpit_tests::{Failure, Job, Outcome, Stack, stacks};

use crate::MONITORED;

/// Sequences of steps. i: `MPI_T_init_thread`, f: `MPI_T_finalize`, I: `MPI_Init`, F: `MPI_Finalize`, q:
/// queries, n: queries that must fail because MPI_T is not initialized, x: one `MPI_T_finalize` too many.
const SEQUENCES: &str = "iqf iIqFf IiqFf ifIF IFiqf iqIqfF IiqfF ififIF IFifif iqIqFqf iiqfqIqFf IiqfiqfF \
    niqfniqfn iiiqfqfqfn iifiqfiqfqfn ifxniqfnIF IifxxiqfnF";

/// Proves R19, R21, R22, R23, R29.
#[test]
fn interfaces_open_and_close_in_any_order() -> Outcome {
    stacks::on_each("lifecycle", |stack| {
        let program = stack.compile("lifecycle")?;
        let mut failures = Vec::new();
        for sequence in SEQUENCES.split(' ') {
            let finished =
                Job::mpi(stack, 1).arg(&program).arg(sequence).under_mpit(&[MONITORED])?.finish()?;
            if finished.code != Some(0) {
                failures.push(finished.to_string());
            }
        }
        Failure::unless(failures.is_empty(), || failures.join("\n"))
    })
}

/// The environment variable with the maximum length of orders, instead of 4. If it is set, the library is
/// tested without mpit for comparison, too: 6 takes some minutes, 8 an hour.
const STEPS: &str = "MPIT_TEST_ORDERS";

/// Tests all balanced orders of initialization and finalization, with and without queries in between: an
/// order that works without mpit has to work with it. Failures are printed beside the library's own results.
/// Proves R19, R29.
#[test]
fn every_order_works_as_without_mpit() -> Outcome {
    let requested = std::env::var(STEPS).ok();
    let steps = requested.as_deref().unwrap_or("4");
    stacks::on_each("init_orders", |stack| {
        let ours = ends_of_orders(stack, steps, true)?;
        let failing: Vec<_> = ours.iter().filter(|(_, end)| *end != "well").collect();
        println!("{}: {} orders, {} fail", stack.label(), ours.len(), failing.len());
        Failure::unless(ours.len() > 40, || format!("only {} orders were tried", ours.len()))?;
        if failing.is_empty() && requested.is_none() {
            return Ok(());
        }
        let bare = ends_of_orders(stack, steps, false)?;
        let failing_bare = bare.values().filter(|end| *end != "well").count();
        println!("{} without mpit: {failing_bare} fail", stack.label());
        let mut worse = Vec::new();
        for (order, end) in failing {
            let bare = bare.get(order).map_or("not tried", String::as_str);
            println!("{}: {order}: {end}; without mpit: {bare}", stack.label());
            if bare == "well" {
                worse.push(format!("{order}: {end}, but well without mpit"));
            }
        }
        Failure::unless(worse.is_empty(), || worse.join("\n"))
    })
}

/// Returns the result of each order of up to `steps` steps.
fn ends_of_orders(stack: &Stack, steps: &str, with_mpit: bool) -> Outcome<BTreeMap<String, String>> {
    let job = Job::alone(stack).arg(stack.compile("lifecycle")?).args(["orders", steps]).seconds(3600);
    let job = if with_mpit { job.under_mpit(&[MONITORED])? } else { job };
    let finished = job.succeed()?;
    let line = |line: &str| {
        let (order, end) = line.strip_prefix("order: ")?.split_once(": ")?;
        Some((order.to_owned(), end.to_owned()))
    };
    for line in finished.stderr.lines().filter(|line| line.starts_with("orders: ")) {
        println!("{}: {line}", stack.label());
    }
    Ok(finished.stdout.lines().filter_map(line).collect())
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
