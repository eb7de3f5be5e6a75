//! The activation of a plug-in.
//!
//! Nothing of a plug-in is ever removed: its definitions stay listed under their indices. A plug-in is activated once, when it is
//! loaded, and may be deactivated; its definitions have values, and handles on them are valid, in between.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use crate::{Error, Result, barrier};

/// The activation of a plug-in: begins at most once, and ends at most once.
#[derive(Debug)]
pub struct Activation {
    is_active: AtomicBool,
    /// The file of the plug-in, for messages; empty if it is not known.
    plugin: &'static str,
}

impl Activation {
    /// Creates the activation of a plug-in that is not active yet.
    pub const fn new() -> Self {
        Self::of("")
    }

    /// Creates the activation of the plug-in of a file.
    pub const fn of(plugin: &'static str) -> Self {
        Self { is_active: AtomicBool::new(false), plugin }
    }

    /// Returns the file of the plug-in; empty if it is not known.
    pub(crate) const fn plugin(&self) -> &'static str {
        self.plugin
    }

    /// Returns true if the plug-in is active.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.is_active.load(SeqCst)
    }

    /// Begins the activation.
    pub fn begin(&self) {
        self.is_active.store(true, SeqCst);
    }

    /// Ends the activation; returns true if the plug-in was active. Handles are invalid from now on.
    pub fn end(&self) -> bool {
        let was_active = self.is_active.swap(false, SeqCst);
        // Pairs with the check that follows the creation of a handle or registration: either the caller of this function finds it
        // in the list, or its creator sees that the activation has ended.
        barrier::heavy();
        was_active
    }
}

/// Fails with `error` if a definition belongs to a plug-in that is not active.
#[inline]
pub(crate) fn check_active(activation: Option<&'static Activation>, error: Error) -> Result<()> {
    match activation {
        Some(activation) if !activation.is_active() => Err(error),
        _ => Ok(()),
    }
}
