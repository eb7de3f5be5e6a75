//! Programs whose memory is limited while they run: their output and exit status do not depend on mpit.

use std::fs;
use std::path::{Path, PathBuf};

use mpit_tests::{Context, Failure, Finished, Job, Outcome, Prof, Stack, build, stacks};

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

fn program(stack: &Stack) -> Outcome<PathBuf> {
    stacks::c_variant(Some(stack), "short_memory", "short_memory", &[&build::include()])
}

/// A run of the program.
#[derive(Clone, Copy, Debug)]
struct Run {
    ranks: u32,
    headroom: &'static str,
    mode: &'static [&'static str],
}

impl Run {
    fn numbered(number: usize) -> Self {
        Self { ranks: 1, headroom: HEADROOMS[number % HEADROOMS.len()], mode: MODES[number % MODES.len()] }
    }

    /// Returns true if the files have the messages.
    fn is_recorded(self, stem: &Path) -> bool {
        let is_one_file = self.mode.contains(&"--one-file");
        if self.mode.is_empty() || is_one_file && stem.with_extension("prof").exists() {
            return true;
        }
        // A process without memory for messages to others writes a file of its own.
        let mut profs = (0..self.ranks).map(|rank| Prof::read(stem, rank));
        // A missing file is shown with what the job printed.
        profs.all(|prof| prof.is_ok_and(|prof| prof.sent().iter().any(|sent| sent.1 == MESSAGES)))
    }
}

/// Runs the program without mpit and in a mode, in an empty directory, and compares.
fn compare(stack: &Stack, dir: &Path, run: Run) -> Outcome {
    fs::create_dir(dir).context(dir.display())?;
    let job = || {
        let program = program(stack)?;
        Ok(Job::mpi(stack, run.ranks).arg(program).arg(run.headroom).dir(dir))
    };
    // MPICH itself needs a few kilobytes for its first communicator, and megabytes for its first message to another process: with 100 kB,
    // one of 20 jobs of two processes ends well.
    let runs = if run.ranks > 1 { 3 } else { 1 };
    let bare = (0..runs).map(|_| job()?.finish()).collect::<Outcome<Vec<Finished>>>()?;
    if bare.iter().any(|bare| bare.code != Some(0)) {
        return Ok(());
    }
    let bare = &bare[0];
    let under = job()?.under_mpit_with(run.mode)?.finish()?;
    let is_equal = (under.code, sorted(&under.stdout)) == (bare.code, sorted(&bare.stdout));
    let is_recorded = run.is_recorded(&dir.join("run"));
    Failure::unless(is_equal && is_recorded, || {
        format!("{run:?}: recorded: {is_recorded}\n--- bare: {bare}\n--- under mpit: {under}")
    })
}

/// Returns the lines in an order that does not depend on the processes.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Runs the program with more records than there is memory for. The messages before are written, and the loss is declared.
fn exhaust(stack: &Stack, dir: &Path) -> Outcome {
    let (headroom, regions) = ("400", "100");
    let job = |dir: &Path| {
        let program = program(stack)?;
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
        for number in combinations(place, all.len(), is_full()) {
            compare(stack, &dir.join(number.to_string()), Run::numbered(number))?;
        }
        // Some libraries crash when they create a communicator without memory, also in MPI_Finalize.
        compare(stack, &dir.join("two"), Run { ranks: 2, headroom: "100", mode: MODES[3] })?;
        exhaust(stack, dir)
    })
}
