//! Snapshots of the records, and the differences between two.

use mpit_format::messages::{PeerSnapshot, Row};

use super::PeerStats;

impl From<&PeerStats<'_>> for PeerSnapshot {
    fn from(stats: &PeerStats<'_>) -> Self {
        Self::new(stats.sizes().iter(), || stats.bytes())
    }
}

/// A snapshot of all rows of [`Messages`](super::Messages), in the order of first use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    pub(super) rows: Vec<Row>,
}

impl Snapshot {
    /// Returns this snapshot without the bytes of messages that are not counted yet, because other threads record them
    /// meanwhile: numbers whose count is the same as in `earlier` are copied from it.
    #[must_use]
    pub fn without_in_flight(self, earlier: &Self) -> Self {
        let none = PeerSnapshot::default();
        let without_in_flight = |(at, row): (usize, Row)| {
            let (external, internal) =
                earlier.rows.get(at).map_or((&none, &none), |then| (&then.external, &then.internal));
            Row {
                to: row.to,
                external: row.external.without_in_flight(external),
                internal: row.internal.without_in_flight(internal),
            }
        };
        Self { rows: self.rows.into_iter().enumerate().map(without_in_flight).collect() }
    }

    /// Returns the rows that grew since an earlier snapshot, with the differences, by ascending rank.
    ///
    /// A snapshot does not stop other threads: bytes of a message recorded meanwhile may be in this interval and its count
    /// in the next. The sum over all intervals is exact.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Vec<Row> {
        let mut rows: Vec<Row> = self
            .rows
            .iter()
            .enumerate()
            .map(|(at, now)| match earlier.rows.get(at) {
                // The order of first use never changes.
                Some(then) => Row {
                    to: now.to,
                    external: now.external.since(&then.external),
                    internal: now.internal.since(&then.internal),
                },
                None => now.clone(),
            })
            .filter(|row| !row.external.is_zero() || !row.internal.is_zero())
            .collect();
        rows.sort_unstable_by_key(|row| row.to);
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::{PeerSnapshot, Row, Snapshot};

    fn snapshot(count: u64, bytes: u64) -> Snapshot {
        let bins = [(4, count)].into_iter().filter(|(_, count)| *count > 0);
        let external = PeerSnapshot::new(bins, || bytes);
        Snapshot { rows: vec![Row { to: 7, external, internal: PeerSnapshot::default() }] }
    }

    /// Another thread records a message of 9 bytes, and its count comes after the second snapshot.
    #[test]
    fn bytes_wait_for_their_message() {
        let begin = Snapshot::default();
        for already in [0, 3] {
            let first = snapshot(already, already * 8).without_in_flight(&begin);
            let second = snapshot(already, already * 8 + 9).without_in_flight(&first);
            assert!(second.since(&first).is_empty());
            let third = snapshot(already + 1, already * 8 + 9).without_in_flight(&second);
            let rows = third.since(&second);
            assert_eq!((rows[0].external.count, rows[0].external.bytes), (1, 9));
        }
    }
}
