//! Programs run without mpit and under `mpit run` in each mode: output, exit status and files have to be
//! equal.
//!
//! `programs` is the list of programs, `modes` that of modes; `observe` runs a program and compares.
//! `short_memory` has a program whose memory is limited, with modes of its own.

mod modes;
mod observe;
mod programs;
mod short_memory;

use std::{collections::BTreeSet, env, time::Instant};

use mpit_tests::{Failure, Outcome, Stack, record, stacks};

use modes::{MODES, Mode};
use programs::{ON_MPI, Row, WITHOUT_MPI};

/// The environment variable that, set to `all`, runs each program in each mode on each stack. Otherwise each
/// program runs on every fourth stack in one mode, chosen by its position in the list.
const MATRIX: &str = "MPIT_TEST_HARMLESS";

/// The distance between the stacks on which a program runs.
const STRIDE: usize = 4;

fn is_full() -> bool {
    env::var(MATRIX).is_ok_and(|wanted| wanted == "all")
}

/// Returns the modes in which a row runs on a stack, given their positions in the lists.
fn modes_at(row: usize, stack: usize, stacks: usize, full: bool) -> Vec<&'static Mode> {
    if full {
        return MODES.iter().collect();
    }
    let first = row % stacks.clamp(1, STRIDE);
    let is_chosen = stack % STRIDE == first;
    let mode = &MODES[(row / STRIDE + stack / STRIDE) % MODES.len()];
    if is_chosen { vec![mode] } else { Vec::new() }
}

/// Returns the modes in which a row without MPI runs: all, or the one that records nothing and another one.
fn modes_without_mpi(row: usize, full: bool) -> Vec<&'static Mode> {
    if full { MODES.iter().collect() } else { vec![&MODES[0], &MODES[1 + row % (MODES.len() - 1)]] }
}

/// Returns the failures of one program, and prints its run time.
fn compare(row: &Row, stack: Option<&Stack>, modes: &[&'static Mode]) -> Vec<String> {
    if modes.is_empty() {
        return Vec::new();
    }
    let start = Instant::now();
    let failures = try_to_compare(row, stack, modes).unwrap_or_else(|failure| vec![failure.to_string()]);
    let (seconds, modes, count) = (start.elapsed().as_secs_f64(), modes.len(), failures.len());
    println!("{seconds:6.2} s, {modes} modes, {count} failures: {}", row.name);
    let named = failures.iter().map(|failure| format!("{}: {failure}", row.name));
    named.inspect(|failure| println!("{failure}")).collect()
}

fn try_to_compare(row: &Row, stack: Option<&Stack>, modes: &[&'static Mode]) -> Outcome<Vec<String>> {
    if let Some(stack) = stack.filter(|stack| !row.has_steady_errors(stack)) {
        let what = format!("standard error of {} on {}", row.name, stack.label());
        let why = "Open MPI's launchers lose messages about jobs that end early, also without mpit";
        record::not_run(&what, why)?;
    }
    let case = observe::Case::prepare(row, stack)?;
    let bare = case.observe(None)?;
    let failure =
        |mode: &&Mode| case.observe(Some(mode)).and_then(|observed| bare.equals(&observed, row, mode)).err();
    Ok(modes.iter().filter_map(failure).map(|failure| failure.to_string()).collect())
}

/// Records the programs that cannot run on this machine, and returns the others.
fn runnable(rows: &'static [Row]) -> Outcome<Vec<&'static Row>> {
    let mut all = Vec::new();
    for row in rows {
        for (label, why) in row.except {
            record::not_run(&format!("{} on {label}", row.name), why)?;
        }
        match row.source.missing() {
            Some(why) => record::not_run(row.name, why)?,
            None => all.push(row),
        }
    }
    Ok(all)
}

#[test]
fn programs_without_mpi() -> Outcome {
    let failures: Vec<_> = runnable(WITHOUT_MPI)?
        .into_iter()
        .enumerate()
        .flat_map(|(at, row)| compare(row, None, &modes_without_mpi(at, is_full())))
        .collect();
    Failure::unless(failures.is_empty(), || failures.join("\n"))
}

#[test]
fn programs_with_mpi() -> Outcome {
    let rows = runnable(ON_MPI)?;
    stacks::on_each("harmless", |stack| {
        let mut failures = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            let applicable: Vec<_> =
                stacks::found().stacks.iter().filter(|one| row.applies(one)).map(Stack::label).collect();
            let Some(place) = applicable.iter().position(|label| *label == stack.label()) else {
                continue;
            };
            failures.extend(compare(row, Some(stack), &modes_at(at, place, applicable.len(), is_full())));
        }
        Failure::unless(failures.is_empty(), || failures.join("\n"))
    })
}

#[test]
fn the_reduced_matrix_covers_each_case() {
    const STACKS: usize = 7;
    let mut seen = BTreeSet::new();
    for (at, row) in ON_MPI.iter().enumerate() {
        let runs: Vec<_> = (0..STACKS)
            .flat_map(|stack| {
                modes_at(at, stack, STACKS, false).into_iter().map(move |mode| (stack, mode.name))
            })
            .collect();
        assert!(!runs.is_empty(), "{} runs nowhere", row.name);
        seen.extend(runs);
        // With a single stack, all programs run on it.
        assert_eq!(modes_at(at, 0, 1, false).len(), 1);
    }
    assert_eq!(seen.len(), STACKS * MODES.len(), "{seen:?}");
    assert!(WITHOUT_MPI.len() + ON_MPI.len() >= 40);
}
