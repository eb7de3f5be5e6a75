//! When the host's tools interface can be asked.
//!
//! One reference to the host's interface is enough for all of the user's, and when it is given back decides over
//! crashes: before `MPI_Init` some hosts do not survive it, after `MPI_Finalize` others do not. So it is taken when
//! the user first needs it and given back inside `MPI_Finalize`, while MPI is still up; afterwards the host is not
//! asked any more, and what it said is answered from memory.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, AtomicU8, Ordering::SeqCst};
use std::sync::{PoisonError, RwLock};

use crate::host::{Host, mpi, mpi_t};

/// Not asked yet.
const UNTOUCHED: u8 = 0;
/// We hold a reference.
const UP: u8 = 1;
/// Given back, or refused.
const GONE: u8 = 2;

/// The state of our reference to the host's interface.
#[derive(Debug)]
pub struct HostLife {
    state: AtomicU8,
    provided: AtomicI32,
    /// Held for reading while the host is asked, for writing while the reference is given back.
    asking: RwLock<()>,
}

impl HostLife {
    pub(super) fn new() -> Self {
        Self { state: AtomicU8::new(UNTOUCHED), provided: AtomicI32::new(-1), asking: RwLock::new(()) }
    }

    /// Whether the host can be asked.
    #[inline]
    pub fn is_up(&self) -> bool {
        self.state.load(SeqCst) == UP
    }

    /// Takes the reference, unless it is taken or can no longer be. Returns the thread level that the host
    /// provided, if it is up.
    pub fn begin(&self, required: c_int) -> Option<c_int> {
        let _alone = self.asking.write().unwrap_or_else(PoisonError::into_inner);
        if self.state.load(SeqCst) == UNTOUCHED && Host::get().is_some() {
            let mut over: c_int = 0;
            // SAFETY: always allowed; the flag is writable.
            unsafe { mpi::finalized(&raw mut over) };
            let mut provided = required;
            // After MPI_Finalize, hosts do not survive being asked for the first time.
            let up = over == 0
                // SAFETY: the level is one of the flavour's, and `provided` is writable.
                && unsafe { mpi_t::init_thread(required, &raw mut provided) } == Some(0);
            self.provided.store(provided, SeqCst);
            self.state.store(if up { UP } else { GONE }, SeqCst);
        }
        (self.state.load(SeqCst) == UP).then(|| self.provided.load(SeqCst))
    }

    /// Gives the reference back for good.
    pub fn end(&self) {
        let _alone = self.asking.write().unwrap_or_else(PoisonError::into_inner);
        if self.state.swap(GONE, SeqCst) == UP {
            // SAFETY: we hold a reference, and MPI is still up.
            unsafe { mpi_t::finalize() };
        }
    }

    /// Asks the host, if it can be asked, and keeps it up meanwhile.
    pub fn while_up<R>(&self, ask: impl FnOnce() -> R) -> Option<R> {
        let _asking = self.asking.read().unwrap_or_else(PoisonError::into_inner);
        self.is_up().then(ask)
    }
}
