//! One collective operation: the arrivals of its ranks, by machine, and the conversion of the machines' clocks.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The conversion of a machine's clock to the common one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Conversion {
    /// A time on the machine's clock, about which the difference is a line.
    pub(super) at: u64,
    /// The nanoseconds to add at that time.
    pub(super) offset: i64,
    /// The nanoseconds to add for each further nanosecond.
    pub(super) drift: f64,
    /// The maximum error in nanoseconds.
    pub(super) error: u64,
    /// The number of the common clock: times of equal ones are comparable.
    pub(super) common: u64,
}

impl Conversion {
    /// Returns the nanoseconds to add to a time of the machine.
    pub(super) fn offset_at(&self, time: u64) -> i128 {
        let since = (i128::from(time) - i128::from(self.at)) as f64;
        i128::from(self.offset) + (since * self.drift) as i128
    }

    pub(super) fn convert(&self, time: u64) -> i128 {
        i128::from(time) + self.offset_at(time)
    }
}

/// The arrivals of the ranks of one machine in one operation, on the clock of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) domain: u64,
    pub(super) ranks: u32,
    pub(super) sum_of_entries: u128,
    /// The latest entry, and its rank.
    pub(super) last: (u64, u32),
    pub(super) first_exit: u64,
    pub(super) spent: u128,
}

impl Part {
    pub(super) fn merge(&mut self, other: &Self) {
        self.ranks = self.ranks.saturating_add(other.ranks);
        self.sum_of_entries = self.sum_of_entries.saturating_add(other.sum_of_entries);
        self.spent = self.spent.saturating_add(other.spent);
        self.first_exit = self.first_exit.min(other.first_exit);
        if by_time(other.last) > by_time(self.last) {
            self.last = other.last;
        }
    }
}

/// Returns the order of arrivals: of equal times, the lowest rank is the last.
fn by_time<T>((time, rank): (T, u32)) -> (T, Reverse<u32>) {
    (time, Reverse(rank))
}

/// The arrivals of several ranks in one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Operation {
    /// True if no process leaves the operation before all have entered it.
    pub(super) synchronizes: bool,
    /// A part for each machine, in ascending order of the clocks' numbers.
    pub(super) parts: Vec<Part>,
}

/// The last arrival in an operation, and the time that it cost.
pub(super) struct Last {
    pub(super) rank: u32,
    pub(super) waited: u128,
    pub(super) spent: u128,
}

impl Operation {
    pub(super) fn ranks(&self) -> u32 {
        self.parts.iter().fold(0, |sum, part| part.ranks.saturating_add(sum))
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for part in &other.parts {
            match self.parts.binary_search_by_key(&part.domain, |own| own.domain) {
                Ok(at) => self.parts[at].merge(part),
                Err(at) => self.parts.insert(at, *part),
            }
        }
    }

    /// Returns the last arrival; `None` if the clocks of the machines cannot be compared. The others waited from their entries to it, but
    /// not longer than they were in the call, because some operations let ranks leave before others enter.
    pub(super) fn last(&self, clocks: &BTreeMap<u64, Conversion>) -> Option<Last> {
        let (mut ranks, mut entries, mut spent, mut last) = (0_i128, 0_i128, 0_u128, None);
        let common = clocks.get(&self.parts.first()?.domain)?.common;
        for part in &self.parts {
            let clock = clocks.get(&part.domain).filter(|clock| clock.common == common)?;
            let offset = clock.offset_at(part.last.0);
            let (time, rank) = part.last;
            let own = by_time((i128::from(time) + offset, rank));
            last = last.max(Some(own));
            ranks += i128::from(part.ranks);
            entries += i128::try_from(part.sum_of_entries).ok()? + offset * i128::from(part.ranks);
            spent = spent.saturating_add(part.spent);
        }
        let (time, Reverse(rank)) = last?;
        let waited = u128::try_from(time * ranks - entries).unwrap_or(0).min(spent);
        Some(Last { rank, waited, spent })
    }
}
