//! The ranks of a job without data.

use std::fmt;

/// A range of ranks without data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The first rank.
    pub first: u32,
    /// The last rank.
    pub last: u32,
    /// The reason, if a file names it.
    pub reason: Option<String>,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = self.reason.as_deref().unwrap_or("no file");
        if self.first == self.last {
            write!(f, "rank {} ({reason})", self.first)
        } else {
            write!(f, "ranks {} to {} ({reason})", self.first, self.last)
        }
    }
}

/// Returns the ranges between the ranks that are present. A rank with a reason has a range of its own.
pub(crate) fn missing(size: u32, present: &[u32], mut reasons: Vec<(u32, String)>) -> Vec<Missing> {
    reasons.sort();
    reasons.dedup_by_key(|(rank, _)| *rank);
    reasons.retain(|(rank, _)| present.binary_search(rank).is_err());
    let mut known: Vec<(u32, Option<String>)> = present.iter().map(|rank| (*rank, None)).collect();
    known.extend(reasons.into_iter().map(|(rank, reason)| (rank, Some(reason))));
    known.sort();
    let mut all = Vec::new();
    let mut next = 0;
    for (rank, reason) in known {
        if next < rank {
            all.push(Missing { first: next, last: rank - 1, reason: None });
        }
        if reason.is_some() {
            all.push(Missing { first: rank, last: rank, reason });
        }
        next = rank + 1;
    }
    if next < size {
        all.push(Missing { first: next, last: size - 1, reason: None });
    }
    all
}
