//! The sums at one moment, and what was added between two.

use std::collections::BTreeMap;

use mpit::log::Log;
use mpit::object::OUTSIDE;

use super::audience::Audience;
use crate::comms::CommId;
use crate::prof::Exchanged;
use crate::record::Sum;

/// All sums at one moment, in the order of first use, which is the same for ever.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// By the identity of the communicator, 0 for none, and by pattern; in the order of slots.
    pub(super) comms: Vec<(u64, [Sum; 3])>,
    pub(super) audiences: Vec<Sum>,
    /// By rank in the world.
    pub(super) rows: Vec<(u32, Sum)>,
}

/// What was added to the sums between two moments.
#[derive(Debug)]
pub(crate) struct Operations {
    /// What was exchanged with whom, by ascending rank.
    pub(crate) exchanged: Vec<Exchanged>,
    comms: BTreeMap<u64, [Sum; 3]>,
}

impl Operations {
    /// The operations on a communicator: from one to all, from all to one, from all to all.
    pub(crate) fn on(&self, comm: CommId) -> [Sum; 3] {
        self.comms.get(&comm.get()).copied().unwrap_or_default()
    }
}

impl Snapshot {
    /// What was added since an earlier moment.
    ///
    /// Snapshots do not stop other threads: an operation that one of them records may be in this interval with one of
    /// its numbers and in the next with another. Over all intervals nothing is lost or doubled.
    pub(super) fn since(&self, earlier: &Self, audiences: &Log<Audience>) -> Operations {
        let gain = |now: &[Sum; 3], then: [Sum; 3]| [0, 1, 2].map(|at| now[at].since(then[at]));
        // A slot may have been used again since.
        let then = |at: usize, comm: u64| {
            let then = earlier.comms.get(at).filter(|(then, _)| *then == comm);
            then.map_or([Sum::default(); 3], |(_, sums)| *sums)
        };
        let comms =
            self.comms.iter().enumerate().map(|(at, (comm, now))| (*comm, gain(now, then(at, *comm))));

        let then = |at: usize| earlier.rows.get(at).map(|(_, sum)| *sum).unwrap_or_default();
        let rows = self.rows.iter().enumerate().map(|(at, (to, now))| (*to, now.since(then(at))));
        let mut exchanged: Vec<_> =
            rows.filter(|(to, sum)| *to != OUTSIDE && !sum.is_zero()).map(exchanged_with).collect();
        exchanged.sort_unstable_by_key(|row| row.to);
        for (at, (audience, now)) in audiences.iter().zip(&self.audiences).enumerate() {
            let gained = now.since(earlier.audiences.get(at).copied().unwrap_or_default());
            if !gained.is_zero() {
                exchanged = merge(exchanged, audience.iter().map(|to| exchanged_with((to, gained))));
            }
        }
        Operations { exchanged, comms: comms.collect() }
    }
}

fn exchanged_with((to, sum): (u32, Sum)) -> Exchanged {
    Exchanged { to, sum }
}

/// One list of two, both by ascending rank; the second may have several rows of the same rank.
fn merge(rows: Vec<Exchanged>, more: impl Iterator<Item = Exchanged>) -> Vec<Exchanged> {
    let mut merged: Vec<Exchanged> = Vec::with_capacity(rows.len());
    let mut add = |row: Exchanged| match merged.last_mut() {
        Some(last) if last.to == row.to => last.sum = last.sum.and(row.sum),
        _ => merged.push(row),
    };
    let mut rows = rows.into_iter().peekable();
    for row in more {
        while let Some(earlier) = rows.next_if(|earlier| earlier.to <= row.to) {
            add(earlier);
        }
        add(row);
    }
    rows.for_each(add);
    merged
}

#[cfg(test)]
mod tests {
    use super::{Exchanged, Sum, merge};

    #[test]
    fn merges_by_rank() {
        let rows = |list: &[(u32, u64)]| {
            list.iter().map(|(to, bytes)| Exchanged { to: *to, sum: Sum::one(*bytes) }).collect::<Vec<_>>()
        };
        let merged =
            merge(rows(&[(1, 1), (3, 10), (9, 100)]), rows(&[(0, 5), (3, 7), (3, 7), (8, 1)]).into_iter());
        let plain: Vec<_> = merged.iter().map(|row| (row.to, row.sum.count, row.sum.bytes)).collect();
        assert_eq!(plain, [(0, 1, 5), (1, 1, 1), (3, 3, 24), (8, 1, 1), (9, 1, 100)]);
        assert!(merge(Vec::new(), std::iter::empty()).is_empty());
    }
}
