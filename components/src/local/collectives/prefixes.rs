//! Operations whose result is of the ranks up to one's own.

use std::sync::Arc;

use bytemuck::Pod;

use super::{Tag, each};
use crate::coll::Kind;
use crate::local::comm::{Comm, Shared};
use crate::local::{Data, Result};

impl Comm {
    /// Combines the values of the ranks up to this one, element by element, as [`reduce`](Self::reduce).
    ///
    /// # Errors
    ///
    /// As of [`allreduce`](Self::allreduce).
    pub fn scan<T: Pod>(&self, values: &[T], operation: impl Fn(T, T) -> T) -> Result<Vec<T>> {
        self.collective(Kind::Scan, 0, each(values), |comm| {
            comm.prefixes(values, operation).map(|(_, with)| with)
        })
    }

    /// Combines the values of the ranks before this one, element by element, as [`reduce`](Self::reduce); `None` for
    /// rank 0, which has none before it.
    ///
    /// # Errors
    ///
    /// As of [`allreduce`](Self::allreduce).
    pub fn exscan<T: Pod>(&self, values: &[T], operation: impl Fn(T, T) -> T) -> Result<Option<Vec<T>>> {
        self.collective(Kind::Exscan, 0, each(values), |comm| {
            comm.prefixes(values, operation).map(|(without, _)| without)
        })
    }
}

impl Shared {
    /// What the ranks before this one make, and that with this one's values: from rank to rank, along a line.
    fn prefixes<T: Pod>(
        self: &Arc<Self>,
        values: &[T],
        operation: impl Fn(T, T) -> T,
    ) -> Result<(Option<Vec<T>>, Vec<T>)> {
        let before = if self.rank == 0 {
            None
        } else {
            let mut before = vec![T::zeroed(); values.len()];
            self.get(before.bytes_mut(), self.rank - 1, Tag::SCAN)?;
            Some(before)
        };
        let with: Vec<T> = match &before {
            None => values.to_vec(),
            Some(before) => before.iter().zip(values).map(|(before, own)| operation(*before, *own)).collect(),
        };
        if self.rank + 1 < self.members.len() {
            self.put(with.bytes(), self.rank + 1, Tag::SCAN)?;
        }
        Ok((before, with))
    }
}
