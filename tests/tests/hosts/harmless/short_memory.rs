//! Programs whose memory is limited while they run: their output and exit status do not depend on mpit.

use std::{fs, path::Path};

use mpit_tests::{Context, Failure, Job, Outcome, Prof, Stack, stacks};

use super::is_full;
use crate::on_each_in_dir;

/// The kilobytes by which a process may grow once MPI is initialized.
const HEADROOMS: [&str; 6] = ["0", "50", "100", "200", "400", "800"];

/// The options of `mpit run`, which write to `run` in the present directory.
const MODES: [&[&str]; 5] = [
    &[],
    &["--output", "run"],
    &["--output", "run", "--crash-safe"],
    &["--output", "run", "--one-file"],
    &["--output", "run", "--time=all", "--sites"],
];

/// The messages that the program sends.
const MESSAGES: u64 = 140;

/// Returns the numbers of the combinations for the stack at a place among several: all, or few, such that each headroom, mode and stack
/// occurs.
fn combinations(place: usize, stacks: usize, full: bool) -> Vec<usize> {
    let few = HEADROOMS.len().max(MODES.len()).max(2 * stacks);
    if full {
        (0..HEADROOMS.len() * MODES.len()).collect()
    } else {
        (0..few).filter(|number| number % stacks.max(1) == place).collect()
    }
}

/// Runs the program without mpit and in a mode, and compares.
fn compare(stack: &Stack, dir: &Path, number: usize) -> Outcome {
    let (headroom, mode) = (HEADROOMS[number % HEADROOMS.len()], MODES[number % MODES.len()]);
    let dir = dir.join(number.to_string());
    fs::create_dir(&dir).context(dir.display())?;
    let job = || Ok(Job::mpi(stack, 1).arg(stack.compile("short_memory")?).arg(headroom).dir(&dir));
    let bare = job()?.finish()?;
    if bare.code != Some(0) {
        // MPICH 5 itself needs a few kilobytes for its first communicator.
        return Ok(());
    }
    let under = job()?.under_mpit_with(mode)?.finish()?;
    let stem = dir.join("run");
    let is_recorded = match mode {
        [] => true,
        mode if mode.contains(&"--one-file") => stem.with_extension("prof").exists(),
        _ => Prof::read(&stem, 0)?.sent() == [(0, MESSAGES, 4 * MESSAGES)],
    };
    let is_equal = (under.code, &under.stdout) == (bare.code, &bare.stdout);
    Failure::unless(is_equal && is_recorded, || {
        format!("{headroom} kB, {mode:?}: recorded: {is_recorded}\n--- bare: {bare}\n--- under mpit: {under}")
    })
}

/// Runs the program with more records than there is memory for. The messages before are written, and the loss is declared.
fn exhaust(stack: &Stack, dir: &Path) -> Outcome {
    let (headroom, regions) = ("400", "100");
    let job = |dir: &Path| {
        let program = stack.compile("short_memory")?;
        Ok(Job::mpi(stack, 1).arg(program).args([headroom, regions]).dir(dir))
    };
    let bare = job(dir)?.finish()?;
    let under = job(dir)?.under_mpit_with(MODES[4])?.finish()?;
    let path = dir.join("run.0.prof");
    let text = fs::read_to_string(&path).context(path.display())?;
    let is_equal = (under.code, &under.stdout) == (bare.code, &bare.stdout);
    let is_declared = text.contains("\n# ABOUT\tnot_recorded\t") && under.stderr.contains("memory was short");
    let is_recorded = Prof::parse(&text, 0)?.sent() == [(0, MESSAGES, 4 * MESSAGES)];
    Failure::unless(is_equal && is_declared && is_recorded, || {
        format!("declared: {is_declared}, recorded: {is_recorded}\n--- bare: {bare}\n--- under mpit: {under}")
    })
}

#[test]
fn short_memory_ends_no_program() -> Outcome {
    on_each_in_dir("short_memory", |stack, dir| {
        let all = &stacks::found().stacks;
        let place = all.iter().position(|one| one.label() == stack.label()).unwrap_or(0);
        combinations(place, all.len(), is_full())
            .into_iter()
            .try_for_each(|number| compare(stack, dir, number))
    })
}
