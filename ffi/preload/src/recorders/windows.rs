//! Records of calls that create and free windows.

use mpit_components::{events, osc};
use mpit_ffi::comms::Freeing;
use mpit_ffi::{lifecycle, windows};

use crate::arguments::{Binding, NewWin};

/// Registers a window that was created, if a listener wants it; otherwise only notes the handle.
pub(crate) fn created<L: Binding>(win: NewWin<L>) {
    let Some(win) = win.live() else { return };
    // The interest of calls on windows.
    if (osc::active() || events::active()) && lifecycle::is_initialized() {
        windows::created(win);
    } else {
        windows::note(win);
    }
}

/// Prepares for a call that frees a window.
pub(crate) fn freeing<L: Binding>(win: NewWin<L>) -> Option<Freeing> {
    windows::freeing(win.live()?)
}
