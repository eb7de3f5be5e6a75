//! Snapshots of the records, and the differences between two.

use super::{BINS, PeerStats};

/// A snapshot of a [`PeerStats`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeerSnapshot {
    /// The number of messages.
    pub count: u64,
    /// The sum of bytes of all messages.
    pub bytes: u64,
    /// The bins of the histogram that are not 0, in ascending order.
    sizes: Vec<(u8, u64)>,
}

impl From<&PeerStats<'_>> for PeerSnapshot {
    fn from(stats: &PeerStats<'_>) -> Self {
        Self::new(stats.sizes().iter(), || stats.bytes())
    }
}

impl PeerSnapshot {
    /// Creates a snapshot from bins that are not 0, in ascending order, and from bytes, which are read after the bins.
    pub(crate) fn new(bins: impl Iterator<Item = (usize, u64)>, bytes: impl FnOnce() -> u64) -> Self {
        let sizes: Vec<_> = bins.map(|(bin, count)| (bin as u8, count)).collect();
        let count = sizes.iter().fold(0, |all: u64, (_, count)| all.wrapping_add(*count));
        Self { count, bytes: bytes(), sizes }
    }

    /// Returns true if there are no messages and no bytes.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.count == 0 && self.bytes == 0
    }

    /// Returns this snapshot, or the earlier one while the count is the same, like [`TrafficSum::without_in_flight`].
    fn without_in_flight(self, earlier: &Self) -> Self {
        if self.count == earlier.count { earlier.clone() } else { self }
    }

    /// Adds the histogram to `bins`. The counts saturate, because those of a damaged store can have any value.
    pub fn add_sizes_to(&self, bins: &mut [u64; BINS]) {
        for (bin, count) in &self.sizes {
            let sum = &mut bins[usize::from(*bin)];
            *sum = sum.saturating_add(*count);
        }
    }

    /// Returns the difference to an earlier snapshot.
    fn since(&self, earlier: &Self) -> Self {
        let before =
            |bin| earlier.sizes.iter().find(|(earlier, _)| *earlier == bin).map_or(0, |(_, count)| *count);
        Self {
            count: self.count - earlier.count,
            bytes: self.bytes.wrapping_sub(earlier.bytes),
            sizes: self
                .sizes
                .iter()
                .map(|(bin, count)| (*bin, count - before(*bin)))
                .filter(|(_, count)| *count != 0)
                .collect(),
        }
    }
}

/// The messages sent to one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The rank in the world.
    pub to: u32,
    /// The user's messages.
    pub external: PeerSnapshot,
    /// The library's internal messages.
    pub internal: PeerSnapshot,
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
