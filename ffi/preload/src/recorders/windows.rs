//! Records of calls that create and free windows.

use mpit_components::{events, osc};
use mpit_ffi::comms::Freeing;
use mpit_ffi::lifecycle;
use mpit_ffi::windows::{self, WINDOWS};

use crate::arguments::{Any, NewWin};

/// Registers a window that was created, if a listener wants it; otherwise only notes the handle.
pub(crate) fn created(win: NewWin<Any>) {
    let Some(win) = win.live() else { return };
    // The interest of calls on windows.
    if (osc::active() || events::active()) && lifecycle::is_initialized() {
        WINDOWS.created(win);
    } else {
        windows::note(win);
    }
}

/// Prepares for a call that frees a window.
pub(crate) fn freeing(win: NewWin<Any>) -> Option<Freeing> {
    windows::freeing(win.live()?)
}
