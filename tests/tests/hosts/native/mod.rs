//! Comparison of mpit with Open MPI's own monitoring, step by step: equal, except for a list of differences.

mod differences;
mod steps;

use std::{collections::BTreeSet, fs, path::Path};

use mpit_tests::{Context, Failure, Job, Outcome, Prof, Stack, paths, prof::Traffic, stacks};

use crate::rows::{self, Rows};
use crate::{for_each_in_dir, read_all, recorded, written_to};

use differences::{DIFFERENCES, Difference, Native};
use steps::{Steps, Sum};

const RANKS: u32 = 4;

/// The programs, with arguments that leave out steps which break with Open MPI's own monitoring.
const PROGRAMS: [(&str, &[&str]); 6] = [
    ("sends", &[]),
    ("unusual_messages", &[]),
    ("coll", &[]),
    ("coll_edge_cases", &[]),
    ("topologies", &["cartesian"]),
    ("osc", &["plain"]),
];

/// The counts of one process by one of the monitorings: in steps, and in its file.
struct Counted {
    steps: Steps,
    file: Rows,
}

/// Runs a program in `dir` with our monitoring and these additional settings, or with Open MPI's own.
fn run(
    stack: &Stack,
    (program, arguments): (&str, &[&str]),
    ours: Option<&[(&str, &str)]>,
    dir: &Path,
) -> Outcome<Vec<Counted>> {
    let settings = written_to("prof");
    let native = if ours.is_none() { &settings[..] } else { &[] };
    let job = Job::mpi(stack, RANKS).env("STEPS", "1").dir(dir).native_monitoring(native);
    let job = job.arg(stack.compile(program)?).arg(".").args(arguments);
    let job = if let Some(more) = ours { job.under_mpit(&[&settings, more].concat())? } else { job };
    job.succeed()?;
    let counted = |rank| {
        let path = dir.join(format!("prof.{rank}.prof"));
        let text = fs::read_to_string(&path).context(path.display())?;
        let text = if ours.is_none() { with_own_rank(&text, rank) } else { text };
        let prof = Prof::parse(&text, rank).context(path.display())?;
        let mut file = rows::of(&prof);
        // There are no variables for messages of the library.
        file.retain(|(row, _), _| row != "I");
        Ok(Counted { steps: Steps::read(dir, rank)?, file })
    };
    (0..RANKS).map(counted).collect()
}

/// Replaces the rank in the rows of an intercommunicator, where Open MPI's own monitoring writes that of
/// another process.
fn with_own_rank(text: &str, rank: u32) -> String {
    let line = |line: &str| match *line.split('\t').collect::<Vec<_>>() {
        [row @ ("O2A" | "A2O" | "A2A"), _, bytes, messages] => {
            format!("{row}\t{rank}\t{bytes}\t{messages}\n")
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// The differences that were found: the listed ones by their position in the list, and others.
#[derive(Default)]
struct Found {
    listed: BTreeSet<usize>,
    others: Vec<String>,
}

impl Found {
    fn compare(&mut self, place: &str, step: &str, row: &str, about: &str, ours: Sum, native: Sum) {
        if ours == native {
            return;
        }
        match DIFFERENCES.iter().position(|one| one.explains(step, row, ours, native)) {
            Some(listed) => _ = self.listed.insert(listed),
            None => self
                .others
                .push(format!("{place}, {step}, {row} {about}: ours {ours:?}, Open MPI's own {native:?}")),
        }
    }

    fn compare_steps(&mut self, place: &str, ours: &Steps, native: &Steps) {
        for key in ours.sums.keys().chain(native.sums.keys().filter(|key| !ours.sums.contains_key(key))) {
            let (step, row, about) = key;
            // Open MPI lacks functions with large counts; mpit forwards them with `int` counts.
            let is_large = step.split(' ').any(|word| word == "large");
            if !native.unseen.contains(row) && !is_large {
                let [ours, native] =
                    [ours, native].map(|steps| steps.sums.get(key).copied().unwrap_or_default());
                self.compare(place, step, row, about, ours, native);
            }
        }
    }

    /// Compares the files if Open MPI hides its variables of messages: they have to contain our counts,
    /// except those that Open MPI never counts.
    fn compare_messages(&mut self, place: &str, program: &str, ours: &Steps, native: &Rows) {
        let counts = |step: &str| {
            let never = |one: &Difference| {
                matches!(one.native, Native::Nothing) && one.explains(step, "E", (0, 0), (0, 0))
            };
            !DIFFERENCES.iter().any(never)
        };
        let ours = ours.totals(|step, row| row == "E" && counts(step));
        let of_messages = native.keys().filter(|(row, _)| row == "E");
        for key in ours.keys().chain(of_messages.filter(|key| !ours.contains_key(key))) {
            let [ours, native] = [&ours, native].map(|totals| totals.get(key).copied().unwrap_or_default());
            self.compare(place, &format!("whole of {program}"), "E", &key.1, ours, native);
        }
    }

    /// Checks that the file contains the counts of the steps, for processes and for the communicators with
    /// handles.
    fn compare_file(&mut self, place: &str, counted: &Counted, loses_freed: bool) {
        let steps = counted.steps.totals(|_, _| true);
        for key in steps.keys().chain(counted.file.keys().filter(|key| !steps.contains_key(key))) {
            let (row, about) = key;
            let is_of_peer = |row: &str| ["E", "S", "R", "C"].contains(&row);
            let watched = is_of_peer(row) || steps.keys().any(|(of, comm)| !is_of_peer(of) && comm == about);
            let lost = loses_freed && about != "MPI_COMM_WORLD" && !counted.file.contains_key(key);
            let [in_steps, in_file] =
                [&steps, &counted.file].map(|totals| totals.get(key).copied().unwrap_or_default());
            if watched && !lost && !counted.steps.unseen.contains(row) && in_steps != in_file {
                let differ = format!("in steps {in_steps:?}, in the file {in_file:?}");
                self.others.push(format!("{place}, {row} {about}: {differ}"));
            }
        }
    }
}

/// Runs all programs under both and compares. Each test has directories of its own, because tests run at the
/// same time.
fn compare(
    stack: &Stack,
    test: &str,
    programs: &[(&str, &[&str])],
    settings: &[(&str, &str)],
) -> Outcome<Found> {
    let mut found = Found::default();
    for program in programs {
        let name = program.0;
        let dirs =
            [stack.scratch(&format!("{test}_native_{name}"))?, stack.scratch(&format!("{test}_{name}"))?];
        let native = run(stack, *program, None, &dirs[0])?;
        let ours = run(stack, *program, Some(settings), &dirs[1])?;
        for (rank, (ours, native)) in ours.iter().zip(&native).enumerate() {
            let place = format!("{name}, rank {rank}");
            found.compare_steps(&place, &ours.steps, &native.steps);
            found.compare_file(&format!("ours, {place}"), ours, false);
            // Open MPI loses a freed communicator when the next one has the same address.
            found.compare_file(&format!("Open MPI's own, {place}"), native, true);
            if native.steps.unseen.contains("E") {
                found.compare_messages(&place, name, &ours.steps, &native.file);
            }
        }
    }
    Failure::unless(found.others.is_empty(), || {
        format!("{} differences that are not listed\n{}", found.others.len(), found.others.join("\n"))
    })?;
    Ok(found)
}

/// Fails if a listed difference that is `expected` was not found.
fn all_found(found: &Found, expected: impl Fn(&Difference) -> bool) -> Outcome {
    let missing: Vec<_> = (DIFFERENCES.iter().enumerate())
        .filter(|(place, one)| expected(one) && !found.listed.contains(place))
        .map(|(_, one)| format!("{:?} {:?} {:?}: {}", one.steps, one.rows, one.native, one.why))
        .collect();
    Failure::unless(missing.is_empty(), || format!("listed, but not found:\n{}", missing.join("\n")))
}

#[test]
fn counts_differ_as_documented() -> Outcome {
    stacks::for_each("native", Stack::is_open_mpi, |stack| {
        let found = compare(stack, "listed", &PROGRAMS, &[])?;
        all_found(&found, |one| one.is_on(stack.label()))
    })
}

/// Tests that the documentation has the same list.
#[test]
fn the_documentation_has_every_difference() -> Outcome {
    let path = paths::workspace().join("docs/monitoring.md");
    let text = fs::read_to_string(&path).context(path.display())?;
    let missing: Vec<_> = DIFFERENCES.iter().map(|one| one.why).filter(|why| !text.contains(why)).collect();
    Failure::unless(missing.is_empty(), || format!("not in {}:\n{}", path.display(), missing.join("\n")))
}

#[test]
fn compat_mode_has_fewer_differences() -> Outcome {
    stacks::for_each("native_compat", Stack::is_open_mpi, |stack| {
        let found = compare(stack, "compat", &[("coll", &[])], &[("coll_monitoring_compat", "1")])?;
        let left: Vec<_> =
            found.listed.iter().map(|place| &DIFFERENCES[*place]).filter(|one| one.compat).collect();
        Failure::unless(left.is_empty(), || {
            let lines: Vec<_> = left.iter().map(|one| format!("{:?}: {}", one.steps, one.why)).collect();
            format!("still there:\n{}", lines.join("\n"))
        })
    })
}

#[test]
fn sends_count_as_in_native_monitoring() -> Outcome {
    for_each_in_dir("sends_native", Stack::is_open_mpi, |stack, dir| {
        // The argument `plain` leaves out what Open MPI's own monitoring counts otherwise.
        let arguments = [&stack.compile("sends")?, Path::new("."), Path::new("plain")];
        let native_job = Job::mpi(stack, RANKS).native_monitoring(&written_to("native")).dir(dir);
        native_job.args(arguments).succeed()?;
        let native = read_all(&dir.join("native"), RANKS)?;
        for (rank, prof) in (0..).zip(&native) {
            let [got, wanted] = [rows::of(prof), rows::expected_of(dir, rank)?].map(|mut rows| {
                rows.retain(|(row, _), _| row == "E");
                rows
            });
            rows::same(rank, &got, &wanted)?;
        }
        let job = Job::mpi(stack, RANKS).args(arguments);
        let (_, ours) = recorded(job, &stack.scratch("sends_plain")?, RANKS)?;
        let mut equal = 0;
        for (rank, (ours, native)) in ours.iter().zip(&native).enumerate() {
            let [ours, native_rows] = [ours, native].map(|prof| prof.rows('E'));
            let internal = native.rows('I');
            Failure::unless(ours.keys().eq(native_rows.keys()), || {
                format!("rank {rank}: ours {ours:?}\nOpen MPI's own {native_rows:?}")
            })?;
            for (peer, ours) in ours {
                let native = native_rows[&peer];
                // Open MPI's histogram of messages to a process contains internal ones, if there are any.
                let is_right = if internal.contains_key(&peer) {
                    has_bins_of(native, ours)
                } else {
                    equal += 1;
                    ours == native
                };
                Failure::unless(is_right, || {
                    format!("rank {rank} to {peer}: ours {ours:?}\nOpen MPI's own {native:?}")
                })?;
            }
        }
        Failure::unless(equal != 0, || "Open MPI has internal messages between all processes".into())
    })
}

/// Returns true if each bin of `part` is at most that of `whole`.
fn has_bins_of(whole: &Traffic, part: &Traffic) -> bool {
    let (Some(whole), Some(part)) = (&whole.histogram, &part.histogram) else { return false };
    whole.len() == part.len() && part.iter().zip(whole).all(|(part, whole)| part <= whole)
}
