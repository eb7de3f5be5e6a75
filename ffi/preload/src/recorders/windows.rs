//! Records of calls that create and free windows.

use mpit_ffi::comms::Freeing;
use mpit_ffi::windows;

use crate::arguments::{Binding, NewWin};

/// Registers a window that was created.
pub(crate) fn created<L: Binding>(win: NewWin<L>) {
    if let Some(win) = win.live() {
        windows::created(win);
    }
}

/// Prepares for a call that frees a window.
pub(crate) fn freeing<L: Binding>(win: NewWin<L>) -> Option<Freeing> {
    windows::freeing(win.live()?)
}
