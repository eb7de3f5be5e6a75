//! Windows: memory of a process that the others write to between two fences.
//!
//! An access is a message with the place and the values, which waits until the target calls the fence. A fence sends an empty
//! message to each process and performs the accesses that arrived before the one from there.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;
use mpit_components::calls::Area;
use mpit_components::osc::{self, Access, Kind};
use mpit_components::windows::{self, WindowId};

use super::process::Process;
use super::{Comm, Data, Error, Result, timed};

const CREATE: i32 = -20;
const ACCESS: i32 = -21;

/// Memory that each process lets the others access.
///
/// Displacements are counted in elements. [`fence`](Self::fence) performs all accesses that were started since the last
/// fence. Dropping the window frees it in this process.
pub struct Window<T: Pod> {
    process: Arc<Process>,
    context: u32,
    id: WindowId,
    memory: Mutex<Vec<T>>,
    lengths: Vec<usize>,
}

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
            let id = windows::created(process.size as u32);
            Ok(Window { process, context, id, memory, lengths })
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
        timed(Area::OneSided, || {
            self.process.check_rank(rank)?;
            let (count, length) = (values.len(), self.lengths[rank]);
            if displacement > length || count > length - displacement {
                return Err(Error::OutsideOfWindow { displacement, count, length });
            }
            let message = [displacement.bytes(), values.bytes()].concat();
            self.process.send(self.context, &message, rank, ACCESS)?;
            let (window, rank, sent) = (self.id, rank as u32, size_of_val(values) as u64);
            osc::accessed(&Access::new(window, rank, rank, Kind::Put, sent, 0));
            Ok(())
        })
    }

    /// Waits until all processes have called it and performs the accesses that they started before.
    ///
    /// # Errors
    ///
    /// Fails when a process has ended.
    pub fn fence(&self) -> Result<()> {
        timed(Area::OneSided, || {
            let ranks = 0..self.process.size;
            ranks.clone().try_for_each(|to| self.process.send(self.context, &[], to, ACCESS))?;
            for from in ranks {
                loop {
                    let access = self.process.receive(self.context, from, ACCESS)?;
                    let Some((displacement, values)) = access.split_at_checked(size_of::<usize>()) else {
                        break;
                    };
                    let begin = bytemuck::pod_read_unaligned::<usize>(displacement) * size_of::<T>();
                    // The origin has checked the range.
                    self.memory().bytes_mut()[begin..][..values.len()].copy_from_slice(values);
                }
            }
            Ok(())
        })
    }

    fn memory(&self) -> MutexGuard<'_, Vec<T>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Pod> Drop for Window<T> {
    fn drop(&mut self) {
        self.process.remove_context(self.context);
        windows::freed(self.id);
    }
}
