//! Collective operations, built on messages with negative tags to and from the root.
//!
//! Messages of one sender do not overtake each other and all processes call the operations in the same order, so one tag
//! for each operation separates them.

use bytemuck::Pod;
use mpit_components::calls::Area;
use mpit_components::coll::{self, Kind, Operation, Pattern, Root, Volume};

use super::engine::WORLD;
use super::process::Process;
use super::{Comm, Data, Error, Result, timed};

const BARRIER: i32 = -10;
const BCAST: i32 = -11;
const ALLREDUCE: i32 = -12;
const GATHER: i32 = -13;
pub(crate) const CREATE: i32 = -20;
pub(crate) const ACCESS: i32 = -21;

/// All of them fail when a process that they wait for has ended.
impl Comm {
    /// Returns when all processes have called it.
    ///
    /// # Errors
    ///
    /// Fails when a process has ended.
    pub fn barrier(&self) -> Result<()> {
        self.collective(Kind::Barrier, 0, 0, |process| {
            process.gather::<u8>(WORLD, &[], 0, BARRIER)?;
            process.bcast(WORLD, &mut [], 0, BARRIER)
        })
    }

    /// Copies the root's data to all processes.
    ///
    /// # Errors
    ///
    /// The communicator must have the root, and all buffers must have the same length.
    pub fn bcast(&self, data: &mut (impl Data + ?Sized), root: usize) -> Result<()> {
        let data = data.bytes_mut();
        self.collective(Kind::Bcast, root, data.len(), |process| process.bcast(WORLD, data, root, BCAST))
    }

    /// Concatenates the processes' values in the order of the ranks; the root gets them, the others `None`.
    ///
    /// # Errors
    ///
    /// The communicator must have the root, and all processes must pass the same number of values.
    pub fn gather<T: Pod>(&self, values: &[T], root: usize) -> Result<Option<Vec<T>>> {
        self.collective(Kind::Gather, root, size_of_val(values), |process| {
            process.gather(WORLD, values, root, GATHER)
        })
    }

    /// Combines the processes' values element by element, in the order of the ranks; all processes get the result.
    ///
    /// # Errors
    ///
    /// All processes must pass the same number of values.
    pub fn allreduce<T: Pod>(&self, values: &[T], operation: impl Fn(T, T) -> T) -> Result<Vec<T>> {
        self.collective(Kind::Allreduce, 0, size_of_val(values), |process| {
            let mut result = values.to_vec();
            if let Some(all) = process.gather(WORLD, values, 0, ALLREDUCE)? {
                for (at, value) in all.into_iter().enumerate().skip(values.len()) {
                    let sum = &mut result[at % values.len()];
                    *sum = operation(*sum, value);
                }
            }
            process.bcast(WORLD, result.bytes_mut(), 0, ALLREDUCE)?;
            Ok(result)
        })
    }

    fn collective<R>(
        &self,
        kind: Kind,
        root: usize,
        bytes: usize,
        work: impl FnOnce(&Process) -> Result<R>,
    ) -> Result<R> {
        self.process.check_rank(root)?;
        let root = match kind.pattern() {
            Pattern::AllToAll => Root::None,
            _ if root == self.rank() => Root::Here,
            _ => Root::At(root as u32),
        };
        let (comm, rank, size) = (self.id(), self.rank() as u32, self.size() as u32);
        let volume = Volume::Each(bytes as u64);
        let operation = Operation::new(comm, kind, rank, size, root, volume, false);
        timed(Area::Collective, || {
            coll::begin(&operation);
            let result = work(&self.process)?;
            coll::end(&operation);
            Ok(result)
        })
    }
}

impl Process {
    pub(crate) fn bcast(&self, context: u32, data: &mut [u8], root: usize, tag: i32) -> Result<()> {
        if self.rank == root {
            return self.others().try_for_each(|to| self.send(context, data, to, tag));
        }
        copy(&self.receive(context, root, tag)?, data)
    }

    pub(crate) fn gather<T: Pod>(
        &self,
        context: u32,
        values: &[T],
        root: usize,
        tag: i32,
    ) -> Result<Option<Vec<T>>> {
        if self.rank != root {
            self.send(context, values.bytes(), root, tag)?;
            return Ok(None);
        }
        let mut all = values.repeat(self.size);
        for from in self.others() {
            let part = &mut all[from * values.len()..][..values.len()];
            copy(&self.receive(context, from, tag)?, part.bytes_mut())?;
        }
        Ok(Some(all))
    }
}

fn copy(received: &[u8], buffer: &mut [u8]) -> Result<()> {
    if received.len() != buffer.len() {
        return Err(Error::Disagreement { given: received.len(), needed: buffer.len() });
    }
    buffer.copy_from_slice(received);
    Ok(())
}
