//! The files of the series, at the end of a run.

mod texts;

use std::collections::BTreeSet;
use std::path::Path;

use mpit_components::output::write_whole;
use mpit_components::store::identity_of;
use mpit_job::Identity;
use mpit_job::launcher::world_of_child;
use mpit_job::names::{self, stem_of};
use mpit_report::series::{ENDING, SeriesFile};

use super::finished::FinishedRun;
use crate::print;
use crate::rank_lists;
use crate::run::execute::series::{Samples, World};
use crate::run::plan::output::{Files, shown};
use crate::run::plan::series::of_rank;
use texts::Texts;

/// Writes the series of the process behind the launcher.
pub(super) fn write_of_process(run: &FinishedRun<'_>) {
    if let Some(samples) = &run.executed.series
        && samples.of_process.is_some()
    {
        write(run, samples);
    }
}

/// Writes the series of each world of a command with a launcher.
pub(super) fn write_of_job(run: &FinishedRun<'_>) {
    if let Some(samples) = &run.executed.series
        && samples.of_process.is_none()
    {
        write(run, samples);
    }
}

fn write(run: &FinishedRun<'_>, samples: &Samples) {
    let Some((target, before)) = run.output() else { return };
    let stem = Path::new(&target.stem);
    let (named, world) = match samples.of_process {
        // The name of its store has the number.
        Some(_) => (Vec::new(), world_of_child()),
        None => (named_worlds(stem, before, run.name()), None),
    };
    let texts = Texts { before, run: run.name(), world };
    // Worlds without an identity have the numbers that others leave.
    let (known, unknown): (Vec<_>, Vec<_>) =
        samples.worlds.iter().partition(|(_, world)| world.identity.is_some());
    let (mut taken, mut written) = (BTreeSet::new(), 0);
    for (number, world) in known.into_iter().chain(unknown) {
        let number = number_of_files(*number, world.identity.as_ref(), &named);
        let world_stem = stem_of(stem, number);
        let path = of_rank(&world_stem, samples.of_process, ENDING);
        let shown = shown(&path, &target.shown);
        if !taken.insert(number) {
            print(&format!("--series: {shown} has another world of this run, so a world has no series"));
            continue;
        }
        let mut whole = world.clone();
        let lost = texts.add_to(&mut whole, &world_stem, samples.end);
        let rows = whole.history.rows();
        // Without any files, the program may not use MPI.
        if !lost.is_empty() && !run.plan.args.quiet && target.files().have_more_than(before) {
            print(&format!(
                "{shown} lacks records of {}: the processes ended before they were sampled, or their records did not fit",
                rank_lists::ranks(&lost)
            ));
        }
        if rows.is_empty() {
            continue;
        }
        let file = SeriesFile { identity: whole.identity.clone(), rows };
        match write_whole(&path, |out| file.write(out)) {
            Ok(()) => written += 1,
            Err(error) => print(&format!("cannot write {}: {error}", path.display())),
        }
        if samples.of_process.is_none() && !run.plan.args.quiet {
            report_others(&whole, &lost, &shown);
        }
    }
    // Without any files, the reason was printed before.
    let is_missing = written == 0 && samples.of_process.is_none() && target.files().have_more_than(before);
    if is_missing && !run.plan.args.quiet {
        print(&format!(
            "--series: no process on this node was recorded, so there is no {}{ENDING}",
            target.shown
        ));
    }
}

/// Says that ranks on other nodes have no samples. Processes on this node have stores, also if these were not read.
fn report_others(world: &World, lost: &[u32], shown: &str) {
    let sampled: BTreeSet<u32> = world.history.ranks().collect();
    let here = sampled.iter().chain(lost).collect::<BTreeSet<_>>().len();
    if here < world.size as usize {
        print(&format!(
            "{shown} has {} of {} processes, the ones on this node; put mpit behind the launcher to have all: \
             `srun mpit run --series ...`",
            sampled.len(),
            world.size
        ));
    }
}

/// Returns the worlds of a run with the numbers in the names of their files.
fn named_worlds(stem: &Path, before: &Files, name: Option<&str>) -> Vec<(u32, Identity)> {
    let mut all: Vec<(u32, Identity)> = Vec::new();
    for file in names::find(stem).unwrap_or_default() {
        if all.iter().any(|(number, _)| *number == file.world) || !before.is_new(&file.path) {
            continue;
        }
        if let Some(identity) = identity_of(&file.path)
            && identity.belongs_to_run(name)
        {
            all.push((file.world, identity));
        }
    }
    all
}

/// Returns the number of a world in the names of files: worlds that begin at once may have other numbers there than in the directory of the job.
fn number_of_files(number: u32, identity: Option<&Identity>, named: &[(u32, Identity)]) -> u32 {
    let Some(identity) = identity else { return number };
    let found = named.iter().find(|(_, named)| named.is_of_same_world(identity));
    found.map_or(number, |(number, _)| *number)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use mpit_job::Identity;

    use super::Files;
    use super::{named_worlds, number_of_files};

    fn identity(run: &str, world: &str) -> Identity {
        Identity::parse(&format!("{run}\t{world}\t2 ranks\t2026-11-22T08:15:00.123Z\tn1")).unwrap()
    }

    #[test]
    fn worlds_have_the_numbers_of_their_files() {
        let directory = tempfile::tempdir().unwrap();
        let stem = directory.path().join("run");
        let write = |name: &str, run: &str, world: &str| {
            fs::write(directory.path().join(name), identity(run, world).line()).unwrap();
        };
        write("run.0.prof", "r-1", "a");
        let before = Files::of(&stem);
        write("run.1.prof", "r-1", "b");
        write("run.w2.0.prof", "r-2", "c");
        write("run.w2.1.prof", "r-1", "c");
        let named = named_worlds(&stem, &before, Some("r-1"));
        assert_eq!(named, [(1, identity("r-1", "b")), (2, identity("r-1", "c"))]);
        for (world, expected) in [("c", 2), ("b", 1), ("a", 7)] {
            assert_eq!(number_of_files(7, Some(&identity("r-1", world)), &named), expected, "{world}");
        }
        assert_eq!(number_of_files(7, None, &named), 7);
    }
}
