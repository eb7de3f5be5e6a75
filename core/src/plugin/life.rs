//! Whether what a plug-in defines has values at this time.
//!
//! Nothing of a plug-in is ever taken back: its definitions stay listed under their indices. But a plug-in may be
//! deactivated and activated again, and a handle is good for the one time in which it was made. Each such time is an epoch,
//! and the check of a handle compares two numbers.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst, fence};

use crate::{Error, Result};

/// The life of a plug-in: a number that grows by 1 with each activation and each deactivation, odd while it is active.
#[derive(Debug)]
#[repr(C)]
pub struct Life {
    epoch: AtomicU64,
}

impl Life {
    /// Not active yet.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "used in statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self { epoch: AtomicU64::new(0) }
    }

    /// Whether it is active.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.epoch.load(SeqCst) % 2 == 1
    }

    /// Begins an epoch, unless it is active.
    pub fn begin(&self) {
        self.turn(0);
    }

    /// Ends the epoch, if it is active; whether it was. From now on its handles are invalid.
    pub fn end(&self) -> bool {
        self.turn(1)
    }

    fn turn(&self, from: u64) -> bool {
        let next = |epoch: u64| (epoch % 2 == from).then_some(epoch + 1);
        let turned = self.epoch.fetch_update(SeqCst, SeqCst, next).is_ok();
        // Whoever made something that this does not find afterwards finds the new number.
        fence(SeqCst);
        turned
    }
}

/// The epoch that something was made in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lease {
    life: Option<&'static Life>,
    epoch: u64,
}

impl Lease {
    /// Of what is defined with this life: none is for ever.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`] while it is not active.
    pub(crate) fn begin(life: Option<&'static Life>) -> Result<Self> {
        let epoch = life.map_or(1, |life| life.epoch.load(SeqCst));
        if epoch % 2 == 1 { Ok(Self { life, epoch }) } else { Err(Error::InvalidIndex) }
    }

    /// Of what was made in this epoch.
    #[inline]
    pub(crate) fn of(life: Option<&'static Life>, epoch: u64) -> Self {
        Self { life, epoch }
    }

    pub(crate) fn epoch(self) -> u64 {
        self.epoch
    }

    /// Whether the epoch goes on.
    #[inline]
    pub(crate) fn holds(self) -> bool {
        self.life.is_none_or(|life| life.epoch.load(SeqCst) == self.epoch)
    }

    /// # Errors
    ///
    /// [`Error::InvalidHandle`] when the epoch is over.
    #[inline]
    pub(crate) fn check(self) -> Result<()> {
        if self.holds() { Ok(()) } else { Err(Error::InvalidHandle) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Lease, Life};
    use crate::Error;

    #[test]
    fn a_lease_holds_for_one_epoch() {
        static LIFE: Life = Life::new();
        assert_eq!(Lease::begin(Some(&LIFE)).map(Lease::epoch), Err(Error::InvalidIndex));
        LIFE.begin();
        LIFE.begin();
        let first = Lease::begin(Some(&LIFE)).unwrap();
        assert!(LIFE.is_active() && first.holds());
        assert!(LIFE.end() && !LIFE.end());
        assert_eq!(first.check(), Err(Error::InvalidHandle));
        LIFE.begin();
        assert!(!first.holds() && Lease::begin(Some(&LIFE)).unwrap().holds());
        assert!(Lease::begin(None).unwrap().holds());
    }
}
