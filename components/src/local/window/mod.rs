//! Windows: memory of a process that the others of a communicator access.
//!
//! The memory belongs to its process. Accesses go to it over the connections that messages take, in the order in which
//! they were started, and the thread that reads there does them. They are no messages: no receive waits for them, and
//! what is reported of them goes to [`crate::osc`].

mod access;
mod op;
mod sync;
mod target;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

pub use op::{Number, Op};
pub use target::Lock;
use target::Memory;
pub(super) use target::{Action, Answer, Request, Targets};

use super::collectives::Tag;
use super::comm::{Comm, Shared};
use super::timed::timed;
use super::{Error, Result};
use crate::calls::Area;
use crate::windows::{self, WindowId};

/// Memory that each process of a communicator lets the others access.
///
/// It is made of [`Number`]s; places in it are counted in elements. An access is done at once and as a whole, also
/// several at the same place. Those of one process to the same memory are done in the order in which they are started.
/// [`fence`](Self::fence), [`lock`](Self::lock) and [`flush`](Self::flush) say when they are done, and keep others out.
///
/// Dropping it withdraws the memory: later accesses of others fail. [`free`](Self::free) waits for them.
pub struct Window<T: Number> {
    /// Of its own, for the window's messages and for the accesses.
    comm: Arc<Shared>,
    id: WindowId,
    memory: Arc<Memory<T>>,
    /// How many elements each process exposes.
    lengths: Box<[usize]>,
    /// Whether something was started at a process that may not be done yet.
    pending: Box<[AtomicBool]>,
    /// Whose locks this process holds.
    locked: Mutex<BTreeSet<usize>>,
}

impl Comm {
    /// Exposes these values to all processes of the communicator. All of them call this together, each with as many
    /// values as it likes.
    ///
    /// # Errors
    ///
    /// All processes must give values of the same size. Fails when a process of the communicator is gone.
    pub fn window_create<T: Number>(&self, values: Vec<T>) -> Result<Window<T>> {
        timed(Area::OneSided, || {
            let context = self.shared.agree(Tag::WINDOW)?;
            let comm = Arc::new(self.shared.sibling(context));
            let (length, memory) = (values.len(), Arc::new(Memory::new(values)));
            comm.engine().windows().expose(context, &memory);
            let id = windows::created(self.size() as u32);
            let pending = (0..self.size()).map(|_| AtomicBool::new(false)).collect();
            let mut window =
                Window { comm, id, memory, lengths: [].into(), pending, locked: Mutex::default() };
            // Who has heard of all knows that all have exposed theirs.
            let all = window.comm.gather_to_all(&[length, size_of::<T>()], Tag::WINDOW)?;
            let (lengths, sizes): (Vec<_>, Vec<_>) = all.chunks_exact(2).map(|one| (one[0], one[1])).unzip();
            window.lengths = lengths.into();
            match sizes.into_iter().find(|size| *size != size_of::<T>()) {
                Some(given) => Err(Error::Disagreement { given, needed: size_of::<T>() }),
                None => Ok(window),
            }
        })
    }

    /// Exposes so many zeros to all processes of the communicator; see [`window_create`](Self::window_create).
    ///
    /// # Errors
    ///
    /// As of [`window_create`](Self::window_create).
    pub fn window_allocate<T: Number>(&self, length: usize) -> Result<Window<T>> {
        self.window_create(vec![T::zeroed(); length])
    }
}

/// What is known of the window, and this process's own memory.
impl<T: Number> Window<T> {
    /// What the frameworks of this crate know it by.
    #[must_use]
    pub fn id(&self) -> WindowId {
        self.id
    }

    /// The number of elements that a process exposes.
    ///
    /// # Errors
    ///
    /// The window must have the rank.
    pub fn length(&self, rank: usize) -> Result<usize> {
        self.comm.peer(rank).map(|_| self.lengths[rank])
    }

    /// What this process's memory holds now.
    #[must_use]
    pub fn load(&self) -> Vec<T> {
        self.memory.lock().clone()
    }

    /// Overwrites elements of this process's memory. That is no access: nothing is reported.
    ///
    /// # Errors
    ///
    /// This process must have the place.
    pub fn store(&self, values: &[T], displacement: usize) -> Result<()> {
        self.place(values.len(), self.comm.rank, displacement)?;
        self.memory.lock()[displacement..][..values.len()].copy_from_slice(values);
        Ok(())
    }
}

impl<T: Number> fmt::Debug for Window<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Window").field("id", &self.id).field("lengths", &self.lengths).finish_non_exhaustive()
    }
}

impl<T: Number> Drop for Window<T> {
    fn drop(&mut self) {
        let engine = self.comm.engine();
        engine.deliver_answers(engine.windows().withdraw(self.comm.context));
        windows::freed(self.id);
    }
}
