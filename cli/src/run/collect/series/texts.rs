//! Texts of processes whose stores do not have all records: they ended before they were found, or their stores could not grow.

use std::path::Path;

use mpit_components::files::{self, MAX_PROCESS_BYTES};
use mpit_job::Identity;
use mpit_report::series::{Totals, of_container, of_text};

use crate::run::execute::series::World;
use crate::run::plan::output::Files;
use crate::run::plan::series::of_rank;

/// The ending of texts.
const TEXT: &str = ".prof";

/// The texts of a run.
pub(super) struct Texts<'a> {
    /// The files before the run, which behind the launcher may be of an earlier job.
    pub(super) before: &'a Files,
    /// The name of the run; `None` behind the launcher.
    pub(super) run: Option<&'a str>,
    /// The launcher's name of the world, behind the launcher.
    pub(super) world: Option<String>,
}

impl Texts<'_> {
    /// Adds the totals of incomplete processes to a world, and returns the ranks that have no text.
    pub(super) fn add_to(&self, world: &mut World, stem: &Path, end: u64) -> Vec<u32> {
        let mut found: Vec<(u32, Totals)> = Vec::new();
        for rank in world.incomplete.clone() {
            let path = of_rank(stem, Some(rank), TEXT);
            if !self.before.is_new(&path) {
                continue;
            }
            let Ok(text) = files::read(&path, MAX_PROCESS_BYTES) else { continue };
            if self.accept(world, Identity::of_text(&text)) {
                found.push((rank, of_text(&text, rank)));
            }
        }
        let without = |found: &[(u32, Totals)], ranks: &[u32]| -> Vec<u32> {
            ranks.iter().filter(|rank| found.iter().all(|(one, _)| one != *rank)).copied().collect()
        };
        let mut left = without(&found, &world.incomplete);
        let container = of_rank(stem, None, TEXT);
        if !left.is_empty()
            && self.before.is_new(&container)
            && self.accept(world, Identity::of_file(&container))
        {
            found.extend(of_container(&container, &left).unwrap_or_default());
            left = without(&found, &left);
        }
        world.history.add_late(end, found);
        left
    }

    /// Returns true if a file with this identity is one of a world, and keeps what the file says about the world.
    fn accept(&self, world: &mut World, identity: Option<Identity>) -> bool {
        let Some(identity) = identity else { return world.identity.is_none() };
        let is_of_world = match &world.identity {
            Some(of_world) => identity.is_of_same_world(of_world),
            None => {
                self.world.as_ref().is_none_or(|name| *name == identity.world)
                    && (self.run.is_none() || identity.belongs_to_run(self.run))
            }
        };
        if is_of_world {
            world.size = world.size.max(identity.size);
            world.identity.get_or_insert(identity);
        }
        is_of_world
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use mpit_components::gather::{Text, write_container};
    use mpit_job::Identity;

    use super::{Files, Texts, World};

    fn identity(world: &str) -> Identity {
        Identity::parse(&format!("-\t{world}\t4 ranks\t2026-11-22T08:15:00.123Z\tn1")).unwrap()
    }

    /// Returns the text of a process that has called `MPI_Barrier`.
    fn text(rank: u32, world: &str, calls: u32) -> String {
        format!(
            "{}# POINT TO POINT\n# OSC\n# COLLECTIVES\n\
             # CALL\t{rank}\tMPI_Barrier\tMPI_COMM_WORLD\t0\t0\t{calls} calls\t0 timed\t0 ns\t0 ns\t0 ns\t0 bytes\t\n",
            identity(world).line()
        )
    }

    /// Behind the launcher, files of earlier jobs are not removed.
    #[test]
    fn texts_are_of_the_run() {
        let directory = tempfile::tempdir().unwrap();
        let stem = directory.path().join("run");
        let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
        write("run.0.prof", &text(0, "w", 1));
        write("run.1.prof", &text(1, "w", 10));
        let before = Files::of(&stem);
        write("run.1.prof", &text(1, "w", 200));
        write("run.2.prof", &text(2, "other", 3000));
        let texts = Texts { before: &before, run: None, world: Some("w".into()) };
        let world = |identity| World { identity, incomplete: (0..4).collect(), ..World::new(5) };
        for known in [None, Some(identity("w"))] {
            let mut whole = world(known);
            assert_eq!(texts.add_to(&mut whole, &stem, 9), [0, 2, 3]);
            assert_eq!((whole.size, whole.identity.clone()), (4, Some(identity("w"))));
            let rows = whole.history.rows();
            assert_eq!((rows.len(), rows[0].rank, rows[0].calls), (1, 1, 200));
            assert_eq!((rows[0].start, rows[0].end), (5, 9));
        }
        // With --one-file.
        let texts_of = |rank| Text { rank, host: String::new(), text: text(rank, "w", 7).into() };
        let file = fs::File::create(directory.path().join("run.prof")).unwrap();
        write_container(file, 4, Some(&identity("w")), [texts_of(0), texts_of(1), texts_of(3)], &[]).unwrap();
        let mut whole = world(None);
        assert_eq!(texts.add_to(&mut whole, &stem, 9), [2]);
        let rows: Vec<_> = whole.history.rows().iter().map(|row| (row.rank, row.calls)).collect();
        assert_eq!(rows, [(0, 7), (1, 200), (3, 7)]);
        let mut other = world(Some(identity("other")));
        other.incomplete = vec![3];
        assert_eq!(texts.add_to(&mut other, &stem, 9), [3]);
    }
}
