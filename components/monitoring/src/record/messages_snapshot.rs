//! Snapshots of the records, and the differences between two.

use mpit_format::TrafficSum;
use mpit_format::messages::{PeerSnapshot, Row};

use super::PeerStats;

/// A snapshot of sums, `N` for each key, in the order of first use, which never changes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SumsSnapshot<K, const N: usize>(Vec<(K, [TrafficSum; N])>);

impl<K, const N: usize> Default for SumsSnapshot<K, N> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K, const N: usize> FromIterator<(K, [TrafficSum; N])> for SumsSnapshot<K, N> {
    fn from_iter<I: IntoIterator<Item = (K, [TrafficSum; N])>>(sums: I) -> Self {
        Self(sums.into_iter().collect())
    }
}

impl<K: Copy + PartialEq, const N: usize> SumsSnapshot<K, N> {
    /// Returns the sums at a position; zero if it had no key or another one.
    fn get(&self, at: usize, key: K) -> [TrafficSum; N] {
        match self.0.get(at) {
            Some((known, sums)) if *known == key => *sums,
            _ => [TrafficSum::default(); N],
        }
    }

    /// Returns this snapshot; sums that counted nothing since `earlier` keep its bytes.
    pub(crate) fn without_in_flight(mut self, earlier: &Self) -> Self {
        for (at, (key, sums)) in self.0.iter_mut().enumerate() {
            for (now, then) in sums.iter_mut().zip(earlier.get(at, *key)) {
                *now = now.without_in_flight(then);
            }
        }
        self
    }

    /// Iterates over all keys, with the differences to an earlier snapshot.
    pub(crate) fn since(&self, earlier: &Self) -> impl Iterator<Item = (K, [TrafficSum; N])> {
        self.0.iter().enumerate().map(|(at, (key, now))| {
            let then = earlier.get(at, *key);
            (*key, std::array::from_fn(|sum| now[sum].since(then[sum])))
        })
    }
}

impl From<PeerStats<'_, '_>> for PeerSnapshot {
    fn from(stats: PeerStats<'_, '_>) -> Self {
        Self::new(stats.sizes(), || stats.bytes())
    }
}

/// A snapshot of all rows of [`Messages`](super::Messages), in the order of first use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessagesSnapshot {
    pub(super) rows: Vec<Row>,
}

impl MessagesSnapshot {
    /// Returns this snapshot; numbers whose count is the same as in `earlier` are copied from it. Other threads may have
    /// added the bytes of a message whose count is still missing.
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
