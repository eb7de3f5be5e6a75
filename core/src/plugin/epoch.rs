//! The activation state of a plug-in.
//!
//! Nothing of a plug-in is ever removed: its definitions stay listed under their indices. But a plug-in may be deactivated and
//! activated again, and a handle is valid only for the activation in which it was allocated. Each activation is an epoch, and the
//! check of a handle compares two epoch numbers.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst, fence};

use crate::{Error, Result};

/// The epoch counter of a plug-in: incremented by each activation and each deactivation, odd while the plug-in is active.
#[derive(Debug)]
#[repr(C)]
pub struct EpochCounter {
    epoch: AtomicU64,
}

impl EpochCounter {
    /// Creates the counter of a plug-in that is not active.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "used in statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self { epoch: AtomicU64::new(0) }
    }

    /// Returns true if the plug-in is active.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.epoch.load(SeqCst) % 2 == 1
    }

    /// Begins an epoch, unless the plug-in is active.
    pub fn begin(&self) {
        self.increment_from(0);
    }

    /// Ends the epoch if the plug-in is active; returns true if it was. Handles of the epoch are invalid from now on.
    pub fn end(&self) -> bool {
        self.increment_from(1)
    }

    /// Increments an even number (`parity` 0) or an odd one (1). Returns false if the number has the other parity.
    fn increment_from(&self, parity: u64) -> bool {
        let next = |epoch: u64| if epoch % 2 == parity { Some(epoch + 1) } else { None };
        let incremented = self.epoch.fetch_update(SeqCst, SeqCst, next).is_ok();
        // Pairs with the check that follows the creation of a handle or registration: either the caller of this function finds it
        // in the list, or its creator sees the new number.
        fence(SeqCst);
        incremented
    }
}

/// The epoch in which an item was created.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epoch {
    epoch_counter: Option<&'static EpochCounter>,
    epoch: u64,
}

impl Epoch {
    /// Returns the present epoch of a definition. Without an `epoch_counter`, the definition is always active.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`] while the plug-in is not active.
    pub(crate) fn current(epoch_counter: Option<&'static EpochCounter>) -> Result<Self> {
        let epoch = epoch_counter.map_or(1, |epoch_counter| epoch_counter.epoch.load(SeqCst));
        if epoch % 2 == 1 { Ok(Self { epoch_counter, epoch }) } else { Err(Error::InvalidIndex) }
    }

    /// Returns the given epoch of a definition.
    #[inline]
    pub(crate) fn of(epoch_counter: Option<&'static EpochCounter>, epoch: u64) -> Self {
        Self { epoch_counter, epoch }
    }

    pub(crate) fn epoch(self) -> u64 {
        self.epoch
    }

    /// Returns true while the epoch lasts.
    #[inline]
    pub(crate) fn is_current(self) -> bool {
        self.epoch_counter.is_none_or(|epoch_counter| epoch_counter.epoch.load(SeqCst) == self.epoch)
    }

    /// Returns an error if the epoch is over.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`].
    #[inline]
    pub(crate) fn check(self) -> Result<()> {
        if self.is_current() { Ok(()) } else { Err(Error::InvalidHandle) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Epoch, EpochCounter};
    use crate::Error;

    #[test]
    fn handles_are_valid_for_one_epoch() {
        static EPOCHS: EpochCounter = EpochCounter::new();
        assert_eq!(Epoch::current(Some(&EPOCHS)).map(Epoch::epoch), Err(Error::InvalidIndex));
        EPOCHS.begin();
        EPOCHS.begin();
        let first = Epoch::current(Some(&EPOCHS)).unwrap();
        assert!(EPOCHS.is_active() && first.is_current());
        assert!(EPOCHS.end() && !EPOCHS.end());
        assert_eq!(first.check(), Err(Error::InvalidHandle));
        EPOCHS.begin();
        assert!(!first.is_current() && Epoch::current(Some(&EPOCHS)).unwrap().is_current());
        assert!(Epoch::current(None).unwrap().is_current());
    }
}
