//! The record at one moment, and what was added between two.

use super::{BINS, Tally};

/// The numbers of a [`Tally`] at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// How many messages.
    pub count: u64,
    /// How many bytes they had together.
    pub bytes: u64,
    /// The bins of the histogram that are not 0, in ascending order.
    sizes: Vec<(u8, u64)>,
}

impl From<&Tally<'_>> for Figures {
    fn from(tally: &Tally<'_>) -> Self {
        Self::new(tally.bytes(), tally.sizes().iter())
    }
}

impl Figures {
    /// Figures with these bins that are not 0, in ascending order.
    pub(crate) fn new(bytes: u64, bins: impl Iterator<Item = (usize, u64)>) -> Self {
        let sizes: Vec<_> = bins.map(|(bin, count)| (bin as u8, count)).collect();
        let count = sizes.iter().fold(0, |all: u64, (_, count)| all.wrapping_add(*count));
        Self { count, bytes, sizes }
    }

    /// Whether there is nothing at all.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.count == 0 && self.bytes == 0 && self.sizes.is_empty()
    }

    /// Adds the histogram to one. Counts of a damaged store may have no sum.
    pub fn add_sizes_to(&self, bins: &mut [u64; BINS]) {
        for (bin, count) in &self.sizes {
            let sum = &mut bins[usize::from(*bin)];
            *sum = sum.saturating_add(*count);
        }
    }

    /// What was added since an earlier moment.
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

/// What one process was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its rank in the world.
    pub to: u32,
    /// The user's messages.
    pub external: Figures,
    /// The library's own.
    pub internal: Figures,
}

/// All rows of [`Messages`](super::Messages) at one moment, in the order of first use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    pub(super) rows: Vec<Row>,
}

impl Snapshot {
    /// The rows that gained anything since an earlier moment, with what they gained, by ascending rank.
    ///
    /// Snapshots do not stop other threads: of a message that one of them is sending, the size may belong to this
    /// interval and the count to the next. Over all intervals nothing is lost or doubled.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Vec<Row> {
        let mut rows: Vec<Row> = self
            .rows
            .iter()
            .enumerate()
            .map(|(at, now)| match earlier.rows.get(at) {
                // The order of first use is the same for ever.
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
