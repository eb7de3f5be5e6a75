//! Synchronization of the accesses to a window.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{MutexGuard, PoisonError};

use super::target::{Action, Lock};
use super::{Number, Window};
use crate::calls::Area;
use crate::local::collectives::Tag;
use crate::local::request::Request as Pending;
use crate::local::timed::timed;
use crate::local::{Error, Result};

impl<T: Number> Window<T> {
    /// Returns when all processes have called it and what they started before is done.
    ///
    /// # Errors
    ///
    /// Fails when a process of the window is gone.
    pub fn fence(&self) -> Result<()> {
        timed(Area::OneSided, || self.meet())
    }

    /// Takes the lock on the memory of a process: until it is given back, others that take it too have to wait, unless
    /// all take it shared. It is given in the order in which it is asked for; who dies gives it back.
    ///
    /// Accesses need no lock, and those of processes without it are not kept out.
    ///
    /// # Errors
    ///
    /// This process must not hold it, and the window must have the rank. Fails when the process is gone.
    pub fn lock(&self, rank: usize, lock: Lock) -> Result<()> {
        timed(Area::OneSided, || self.take_lock(rank, lock))
    }

    /// Gives the lock back, when all that was started at that process is done.
    ///
    /// # Errors
    ///
    /// This process must hold it. Fails when the other one is gone.
    pub fn unlock(&self, rank: usize) -> Result<()> {
        timed(Area::OneSided, || self.give_back(rank))
    }

    /// Takes the locks on the memory of all processes, shared.
    ///
    /// # Errors
    ///
    /// As of [`lock`](Self::lock); then none is held that was not before.
    pub fn lock_all(&self) -> Result<()> {
        timed(Area::OneSided, || {
            for rank in 0..self.lengths.len() {
                if let Err(error) = self.take_lock(rank, Lock::Shared) {
                    // What goes wrong on the way back is the same again.
                    (0..rank).for_each(|rank| drop(self.give_back(rank)));
                    return Err(error);
                }
            }
            Ok(())
        })
    }

    /// Gives all locks back that this process holds.
    ///
    /// # Errors
    ///
    /// As of [`unlock`](Self::unlock), the first of all.
    pub fn unlock_all(&self) -> Result<()> {
        timed(Area::OneSided, || {
            let held: Vec<_> = self.locked().iter().copied().collect();
            let given: Vec<_> = held.into_iter().map(|rank| self.give_back(rank)).collect();
            given.into_iter().collect()
        })
    }

    /// Returns when all that this process started at another one is done.
    ///
    /// # Errors
    ///
    /// The window must have the rank. Fails when the process is gone.
    pub fn flush(&self, rank: usize) -> Result<()> {
        self.comm.peer(rank)?;
        timed(Area::OneSided, || self.complete(rank))
    }

    /// Returns when all that this process started is done.
    ///
    /// # Errors
    ///
    /// Fails when a process is gone at which something was started.
    pub fn flush_all(&self) -> Result<()> {
        timed(Area::OneSided, || self.complete_all())
    }

    /// Frees the window when all processes have called this, and all accesses are done.
    ///
    /// # Errors
    ///
    /// Fails when a process of the window is gone; the window is freed nevertheless.
    pub fn free(self) -> Result<()> {
        self.fence()
    }

    fn meet(&self) -> Result<()> {
        self.complete_all()?;
        self.comm.meet(Tag::FENCE)
    }

    fn complete_all(&self) -> Result<()> {
        (0..self.pending.len()).try_for_each(|rank| self.complete(rank))
    }

    fn complete(&self, rank: usize) -> Result<()> {
        if self.pending[rank].swap(false, Relaxed) { self.demand(rank, Action::Flush) } else { Ok(()) }
    }

    fn take_lock(&self, rank: usize, lock: Lock) -> Result<()> {
        self.comm.peer(rank)?;
        if !self.locked().insert(rank) {
            return Err(Error::Lock { rank, held: true });
        }
        let taken = self.demand(rank, Action::Lock(lock));
        if taken.is_err() {
            self.locked().remove(&rank);
        }
        taken
    }

    fn give_back(&self, rank: usize) -> Result<()> {
        if !self.locked().remove(&rank) {
            return Err(Error::Lock { rank, held: false });
        }
        self.pending[rank].store(false, Relaxed);
        self.demand(rank, Action::Unlock)
    }

    /// Asks a process for something and waits until it is done.
    fn demand(&self, rank: usize, action: Action) -> Result<()> {
        let peer = self.comm.peer(rank)?;
        let state = self.expect(peer, |ticket| self.access(peer, action, ticket, &[], 0, 0))?;
        Pending::send(state).finish().map(drop)
    }

    fn locked(&self) -> MutexGuard<'_, BTreeSet<usize>> {
        self.locked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
