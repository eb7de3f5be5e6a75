//! Summaries as bytes, which processes send to each other. All numbers are little-endian.

use std::collections::BTreeMap;

use thiserror::Error;

use super::arrivals::{LEAST_OPERATIONS, MAX_OPERATIONS, MAX_PARTS, Operation, Part, key};
use super::hosts::{MAX_HOSTS, MAX_NAME};
use super::{Arrivals, CallStat, Hosts, RankStat, Summary, Traffic};
use crate::calls::CALLS;

/// The version of the format.
const VERSION: u32 = 1;

/// The reason why bytes are not a summary.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the bytes are not a summary of version {VERSION}, or are damaged")]
pub struct Invalid;

impl Summary {
    /// Returns the maximum number of bytes of a summary of a job on so many machines. It does not depend on the number of processes.
    #[must_use]
    pub const fn max_bytes(machines: usize) -> usize {
        64 * 1024
            + MAX_HOSTS * (MAX_NAME + 12)
            + MAX_OPERATIONS * 24
            + MAX_PARTS * 64
            + machines * (8 + LEAST_OPERATIONS * 64)
    }

    /// Returns the summary as bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Out(Vec::new());
        out.u32(VERSION);
        out.u64(self.processes);
        out.u32(self.size);
        out.u64(self.finalized);
        out.u32(self.hosts.processes.len() as u32);
        for (name, processes) in &self.hosts.processes {
            out.u32(name.len() as u32);
            out.0.extend_from_slice(name.as_bytes());
            out.u64(*processes);
        }
        out.u32(self.hosts.has_more.into());
        for stat in [&self.elapsed, &self.in_mpi, &self.useful].into_iter().chain(&self.areas) {
            out.stat(stat);
        }
        out.u64(self.clock_error);
        out.u32(self.calls.len() as u32);
        for (call, CallStat { count, bytes, time }) in &self.calls {
            out.u32(u32::from(*call));
            out.u128(*count);
            out.u128(*bytes);
            out.stat(time);
        }
        out.u32(self.arrivals.domains.len() as u32);
        self.arrivals.domains.iter().for_each(|domain| out.u64(*domain));
        out.u32(self.arrivals.operations.len() as u32);
        for ((_, comm, number), operation) in &self.arrivals.operations {
            out.u64(*comm);
            out.u64(*number);
            out.u32(operation.synchronizes.into());
            out.u32(operation.parts.len() as u32);
            for part in &operation.parts {
                let Part { domain, ranks, sum_of_entries, last: (last, rank), first_exit, spent } = *part;
                out.u64(domain);
                out.u32(ranks);
                out.u128(sum_of_entries);
                out.u64(last);
                out.u32(rank);
                out.u64(first_exit);
                out.u128(spent);
            }
        }
        for Traffic { count, bytes } in self.traffic.as_flattened() {
            out.u128(*count);
            out.u128(*bytes);
        }
        out.0
    }

    /// Returns the summary of bytes.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not those of [`encode`](Self::encode).
    pub fn decode(bytes: &[u8]) -> Result<Self, Invalid> {
        let mut input = Input(bytes);
        if input.u32()? != VERSION {
            return Err(Invalid);
        }
        let mut summary =
            Self { processes: input.u64()?, size: input.u32()?, finalized: input.u64()?, ..Self::default() };
        summary.hosts = input.hosts()?;
        let times = [&mut summary.elapsed, &mut summary.in_mpi, &mut summary.useful];
        for stat in times.into_iter().chain(&mut summary.areas) {
            *stat = input.stat()?;
        }
        summary.clock_error = input.u64()?;
        for _ in 0..input.below(CALLS.len() + 1)? {
            let call = input.below(CALLS.len())? as u16;
            let stat = CallStat { count: input.u128()?, bytes: input.u128()?, time: input.stat()? };
            insert_last(&mut summary.calls, call, stat)?;
        }
        summary.arrivals = input.arrivals()?;
        for traffic in summary.traffic.as_flattened_mut() {
            *traffic = Traffic { count: input.u128()?, bytes: input.u128()? };
        }
        if input.0.is_empty() { Ok(summary) } else { Err(Invalid) }
    }
}

/// Adds an entry that is greater than all others, so that equal summaries have equal bytes.
fn insert_last<K: Ord, V>(map: &mut BTreeMap<K, V>, key: K, value: V) -> Result<(), Invalid> {
    if map.last_key_value().is_some_and(|(last, _)| *last >= key) {
        return Err(Invalid);
    }
    map.insert(key, value);
    Ok(())
}

struct Out(Vec<u8>);

impl Out {
    fn u32(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn u64(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn u128(&mut self, number: u128) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn stat(&mut self, stat: &RankStat) {
        self.u64(stat.ranks);
        self.u128(stat.sum);
        for (number, rank) in [stat.min, stat.max] {
            self.u64(number);
            self.u32(rank);
        }
    }
}

struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Invalid> {
        let (first, rest) = self.0.split_first_chunk().ok_or(Invalid)?;
        self.0 = rest;
        Ok(*first)
    }

    fn u32(&mut self) -> Result<u32, Invalid> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, Invalid> {
        self.take().map(u64::from_le_bytes)
    }

    fn u128(&mut self) -> Result<u128, Invalid> {
        self.take().map(u128::from_le_bytes)
    }

    fn below(&mut self, bound: usize) -> Result<usize, Invalid> {
        let number = self.u32()? as usize;
        if number < bound { Ok(number) } else { Err(Invalid) }
    }

    fn stat(&mut self) -> Result<RankStat, Invalid> {
        Ok(RankStat {
            ranks: self.u64()?,
            sum: self.u128()?,
            min: (self.u64()?, self.u32()?),
            max: (self.u64()?, self.u32()?),
        })
    }

    fn hosts(&mut self) -> Result<Hosts, Invalid> {
        let mut hosts = Hosts::default();
        for _ in 0..self.below(MAX_HOSTS + 1)? {
            let len = self.below(MAX_NAME + 1)?;
            let (name, rest) = self.0.split_at_checked(len).ok_or(Invalid)?;
            let name = std::str::from_utf8(name).map_err(|_| Invalid)?.to_owned();
            self.0 = rest;
            insert_last(&mut hosts.processes, name, self.u64()?)?;
        }
        hosts.has_more = self.below(2)? == 1;
        Ok(hosts)
    }

    fn arrivals(&mut self) -> Result<Arrivals, Invalid> {
        let mut arrivals = Arrivals::default();
        for _ in 0..self.u32()? {
            let domain = self.u64()?;
            if arrivals.domains.last().is_some_and(|last| *last >= domain) {
                return Err(Invalid);
            }
            arrivals.domains.insert(domain);
        }
        for _ in 0..self.below(MAX_OPERATIONS + 1)? {
            let key = key(self.u64()?, self.u64()?);
            let synchronizes = self.below(2)? == 1;
            let mut parts: Vec<Part> = Vec::new();
            for _ in 0..self.u32()? {
                let (domain, ranks, sum_of_entries) = (self.u64()?, self.u32()?, self.u128()?);
                let last = (self.u64()?, self.u32()?);
                let (first_exit, spent) = (self.u64()?, self.u128()?);
                if parts.last().is_some_and(|last| last.domain >= domain)
                    || !arrivals.domains.contains(&domain)
                {
                    return Err(Invalid);
                }
                parts.push(Part { domain, ranks, sum_of_entries, last, first_exit, spent });
            }
            insert_last(&mut arrivals.operations, key, Operation { synchronizes, parts })?;
        }
        Ok(arrivals)
    }
}
