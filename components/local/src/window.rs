//! Windows: memory of a process that the others access between two fences.
//!
//! Accesses are collected by the process that starts them. A fence sends to each process the accesses to its memory, in the
//! order in which they were started, performs those that arrive, and answers those that read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;
use mpit_components::calls::Area;
use mpit_components::osc::{self, Access, Kind};
use mpit_components::windows::{self, WindowId};

use super::collectives::{ACCESSES, ANSWERS, CREATE};
use super::process::Process;
use super::{Comm, Data, Error, Result, timed};

/// Memory that each process lets the others access.
///
/// Displacements are counted in elements. [`fence`](Self::fence) performs all accesses that were started since the last
/// fence. Dropping the window frees it in this process.
pub struct Window<T: Pod> {
    process: Arc<Process>,
    context: u32,
    id: WindowId,
    memory: Mutex<Vec<T>>,
    /// The number of elements that each process exposes.
    lengths: Vec<usize>,
    epoch: Mutex<Epoch>,
}

/// The accesses that this process started since the last fence.
struct Epoch {
    /// The accesses to each process, in the form of [`Header`] and data.
    accesses: Vec<Vec<u8>>,
    /// The processes that are read from, with the number of elements, in the order of the accesses.
    reads: Vec<(usize, usize)>,
}

impl Epoch {
    fn new(ranks: usize) -> Self {
        Self { accesses: vec![Vec::new(); ranks], reads: Vec::new() }
    }
}

/// The encoding of an access: [`PUT`] or [`GET`], and the range of bytes by its beginning and its length.
type Header = [u64; 3];
const PUT: u64 = 0;
const GET: u64 = 1;

impl Comm {
    /// Exposes `length` zeros to all processes. All of them call this together, with the same type of elements, each with
    /// any length; in a process, one thread at a time creates windows.
    ///
    /// # Errors
    ///
    /// Fails when a process has ended.
    pub fn window_allocate<T: Pod>(&self, length: usize) -> Result<Window<T>> {
        timed(Area::OneSided, || {
            let process = Arc::clone(&self.process);
            let context = process.new_context();
            let mut lengths =
                process.gather(context, &[length], 0, CREATE)?.unwrap_or_else(|| vec![0; process.size]);
            process.bcast(context, lengths.bytes_mut(), 0, CREATE)?;
            let memory = Mutex::new(vec![T::zeroed(); length]);
            let epoch = Mutex::new(Epoch::new(process.size));
            let id = windows::created(process.size as u32);
            Ok(Window { process, context, id, memory, lengths, epoch })
        })
    }
}

impl<T: Pod> Window<T> {
    /// Returns a copy of this process's memory.
    #[must_use]
    pub fn load(&self) -> Vec<T> {
        self.memory().clone()
    }

    /// Overwrites elements of a process, from `displacement` on.
    ///
    /// # Errors
    ///
    /// The process must have the elements.
    pub fn put(&self, values: &[T], rank: usize, displacement: usize) -> Result<()> {
        timed(Area::OneSided, || self.start(PUT, rank, displacement, values.len(), values.bytes()))
    }

    /// Reads `count` elements of a process, from `displacement` on. The next [`fence`](Self::fence) returns them.
    ///
    /// # Errors
    ///
    /// The process must have the elements.
    pub fn get(&self, count: usize, rank: usize, displacement: usize) -> Result<()> {
        timed(Area::OneSided, || self.start(GET, rank, displacement, count, &[]))
    }

    /// Adds an access to the epoch and reports it.
    fn start(&self, code: u64, rank: usize, displacement: usize, count: usize, data: &[u8]) -> Result<()> {
        self.process.check_rank(rank)?;
        let length = self.lengths[rank];
        if displacement > length || count > length - displacement {
            return Err(Error::OutsideOfWindow { displacement, count, length });
        }
        let [begin, bytes] = [displacement, count].map(|elements| (elements * size_of::<T>()) as u64);
        let mut epoch = self.epoch();
        epoch.accesses[rank].extend_from_slice([code, begin, bytes].bytes());
        epoch.accesses[rank].extend_from_slice(data);
        let (kind, sent, received) = if code == PUT { (Kind::Put, bytes, 0) } else { (Kind::Get, 0, bytes) };
        if code == GET {
            epoch.reads.push((rank, count));
        }
        drop(epoch);
        let (window, rank) = (self.id, rank as u32);
        osc::accessed(&Access::new(window, rank, rank, kind, sent, received));
        Ok(())
    }

    /// Waits until all processes have called it and performs the accesses that they started before. Returns the elements of
    /// each [`get`](Self::get) of this process, in the order of the calls.
    ///
    /// # Errors
    ///
    /// Fails when a process has ended.
    pub fn fence(&self) -> Result<Vec<Vec<T>>> {
        timed(Area::OneSided, || {
            let (process, context) = (&self.process, self.context);
            let Epoch { accesses, reads } = std::mem::replace(&mut *self.epoch(), Epoch::new(process.size));
            for (to, accesses) in accesses.iter().enumerate() {
                process.send(context, accesses, to, ACCESSES)?;
            }
            for from in 0..process.size {
                let accesses = process.receive(context, from, ACCESSES)?;
                let answer = perform(self.memory().bytes_mut(), &accesses)?;
                if !answer.is_empty() {
                    process.send(context, &answer, from, ANSWERS)?;
                }
            }
            let mut answers = vec![Vec::new(); process.size];
            reads
                .into_iter()
                .map(|(from, count)| {
                    let bytes = count * size_of::<T>();
                    if answers[from].is_empty() && bytes > 0 {
                        answers[from] = process.receive(context, from, ANSWERS)?;
                    }
                    let answer = &mut answers[from];
                    if answer.len() < bytes {
                        return Err(Error::Disagreement { given: answer.len(), needed: bytes });
                    }
                    let mut elements = vec![T::zeroed(); count];
                    elements.bytes_mut().copy_from_slice(&answer[..bytes]);
                    answer.drain(..bytes);
                    Ok(elements)
                })
                .collect()
        })
    }

    fn memory(&self) -> MutexGuard<'_, Vec<T>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn epoch(&self) -> MutexGuard<'_, Epoch> {
        self.epoch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Pod> Drop for Window<T> {
    fn drop(&mut self) {
        self.process.engine.remove(self.context);
        windows::freed(self.id);
    }
}

/// Performs the accesses of one process to the memory and returns the bytes that it reads.
fn perform(memory: &mut [u8], mut accesses: &[u8]) -> Result<Vec<u8>> {
    let mut answer = Vec::new();
    while let Some((header, rest)) = accesses.split_at_checked(size_of::<Header>()) {
        let [code, begin, bytes]: Header = bytemuck::pod_read_unaligned(header);
        let (displacement, count, length) = (begin as usize, bytes as usize, memory.len());
        let range = displacement..displacement.saturating_add(count);
        let outside = Error::OutsideOfWindow { displacement, count, length };
        let place = memory.get_mut(range).ok_or(outside)?;
        accesses = rest;
        if code == GET {
            answer.extend_from_slice(place);
        } else if let Some((data, rest)) = rest.split_at_checked(count) {
            place.copy_from_slice(data);
            accesses = rest;
        }
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::{Data, GET, PUT, perform};

    #[test]
    fn accesses_stay_within_the_memory() {
        let access = |code: u64, begin: u64, count: u64| [[code, begin, count].bytes(), b"abcd"].concat();
        let mut memory = *b"12345";
        assert_eq!(perform(&mut memory, &access(GET, 1, 4)).unwrap(), b"2345");
        for (begin, count) in [(2, 4), (6, 0), (1, u64::MAX), (u64::MAX, 1)] {
            assert!(perform(&mut memory, &access(PUT, begin, count)).is_err());
            assert!(perform(&mut memory, &access(GET, begin, count)).is_err());
        }
        assert_eq!(&memory, b"12345");
        assert!(perform(&mut memory, &access(PUT, 0, 4)).unwrap().is_empty());
        assert_eq!(&memory, b"abcd5");
    }
}
