//! Efficiencies in the manner of POP, a European project for the performance of parallel programs.
//!
//! Useful time is time outside of MPI. With the run time T, the longest of all ranks: *load balance* is the mean of useful time
//! divided by its maximum, and falls when some ranks compute longer than others. *Communication efficiency* is the maximum of
//! useful time divided by T, and falls when even the busiest rank spends time in MPI. Their product, *parallel efficiency*, is the
//! mean of useful time divided by T: the part of the processors' time that is not spent in MPI.

use super::RankStat;

/// The efficiency from which on an efficiency is good. POP looks for problems below it.
const GOOD: f64 = 0.8;

/// The efficiency from which on an efficiency is fair.
const FAIR: f64 = 0.6;

/// The three efficiencies, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Efficiency {
    /// The product of the others.
    pub parallel: f64,
    /// The mean of useful time divided by its maximum.
    pub load_balance: f64,
    /// The maximum of useful time divided by the run time.
    pub communication: f64,
}

impl Efficiency {
    /// Returns the efficiencies of `ranks` ranks, of which those without a time have no useful time; `None` if none has a time.
    #[must_use]
    pub fn of(elapsed: &RankStat, useful: &RankStat, ranks: u64) -> Option<Self> {
        let (run_time, _) = elapsed.max().filter(|(time, _)| *time > 0)?;
        let (most, _) = useful.max()?;
        let load_balance = if most == 0 { 1.0 } else { useful.mean_of(ranks) / most as f64 };
        let communication = most as f64 / run_time as f64;
        Some(Self { parallel: load_balance * communication, load_balance, communication })
    }
}

/// The quality of an efficiency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rating {
    /// Below 0.6.
    Poor,
    /// At least 0.6.
    Fair,
    /// At least 0.8.
    Good,
}

impl Rating {
    /// Rates an efficiency.
    #[must_use]
    pub fn of(efficiency: f64) -> Self {
        // As reports show it: 0.80 is good, whatever follows.
        let efficiency = (efficiency * 100.0).round() / 100.0;
        if efficiency >= GOOD {
            Self::Good
        } else if efficiency >= FAIR {
            Self::Fair
        } else {
            Self::Poor
        }
    }

    /// Returns the word for the rating.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Poor => "poor",
            Self::Fair => "fair",
            Self::Good => "good",
        }
    }
}
