//! Numbers of ranks: sum and extremes.

/// A number of each rank: their sum, and the smallest and the largest one with its rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankStat {
    pub(super) ranks: u64,
    pub(super) sum: u128,
    /// The smallest number and its rank; meaningless without ranks.
    pub(super) min: (u64, u32),
    /// The largest number and its rank; meaningless without ranks.
    pub(super) max: (u64, u32),
}

impl RankStat {
    /// Adds the number of a rank.
    pub fn add(&mut self, rank: u32, number: u64) {
        self.merge(&Self { ranks: 1, sum: number.into(), min: (number, rank), max: (number, rank) });
    }

    /// Adds the numbers of other ranks. Of equal extremes, the one of the lower rank is kept.
    pub fn merge(&mut self, other: &Self) {
        if other.ranks == 0 {
            return;
        }
        if self.ranks == 0 {
            *self = *other;
            return;
        }
        self.ranks = self.ranks.saturating_add(other.ranks);
        self.sum = self.sum.saturating_add(other.sum);
        self.min = self.min.min(other.min);
        let by_number = |(number, rank): (u64, u32)| (number, std::cmp::Reverse(rank));
        if by_number(other.max) > by_number(self.max) {
            self.max = other.max;
        }
    }

    /// Returns the number of ranks.
    #[must_use]
    pub fn ranks(&self) -> u64 {
        self.ranks
    }

    /// Returns the sum.
    #[must_use]
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// Returns the mean of `ranks` ranks, of which those without a number have 0; 0 without ranks.
    #[must_use]
    pub fn mean_of(&self, ranks: u64) -> f64 {
        if ranks == 0 { 0.0 } else { self.sum as f64 / ranks as f64 }
    }

    /// Returns the mean of the ranks that have a number.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean_of(self.ranks)
    }

    /// Returns the smallest number, and its rank; `None` without ranks.
    #[must_use]
    pub fn min(&self) -> Option<(u64, u32)> {
        if self.ranks == 0 { None } else { Some(self.min) }
    }

    /// Returns the largest number, and its rank; `None` without ranks.
    #[must_use]
    pub fn max(&self) -> Option<(u64, u32)> {
        if self.ranks == 0 { None } else { Some(self.max) }
    }
}
