//! Images that are not plug-ins and whose definitions this host has ([`crate::export::image`]).

use std::ffi::c_int;

use super::c_structs::member;
use super::{c_table, load};
use crate::abi::PluginFunction;
use crate::host::threads;
use crate::lock::Mutex;
use crate::os::terminal::print_line;

/// The functions that notify adopted images of the thread level.
static LISTENING: Mutex<Vec<unsafe extern "C" fn(c_int)>> = Mutex::new(Vec::new());

/// Adopts the definitions of an image. Faults in them are reported on standard error. Callers are serialized; otherwise the image
/// may miss changes of the thread level.
///
/// # Safety
///
/// The function is the one that a note of the image leads to, and the image stays loaded.
pub unsafe fn adopt(function: PluginFunction) {
    // SAFETY: the function is the one that the image's note leads to, and the image stays loaded: the caller ensures it.
    let found = unsafe { load::describe(function) };
    let outcome = match found {
        Ok(None) => return,
        Ok(Some((_, plugin))) => {
            if let Some(set_concurrent) = plugin.set_concurrent {
                super::listen_to_thread_level();
                notify(set_concurrent, threads::concurrent());
                LISTENING.lock().push(set_concurrent);
            }
            c_table::register_specified(member!(&plugin, table))
        }
        Err(why) => Err(why),
    };
    if let Err(why) = outcome {
        print_line(&format!("definitions in the program or in a library of it are not listed: {why}"));
    }
}

/// Notifies all adopted images of the thread level: true if several threads may communicate at once.
pub(super) fn notify_concurrent(concurrent: bool) {
    // Not under the lock, since these are functions of other images.
    let listening = LISTENING.lock().clone();
    for set_concurrent in listening {
        notify(set_concurrent, concurrent);
    }
}

fn notify(set_concurrent: unsafe extern "C" fn(c_int), concurrent: bool) {
    // SAFETY: the image stays loaded (contract of `adopt`), and its function may be called by any thread (`mpit_plugin.h`).
    unsafe { set_concurrent(c_int::from(concurrent)) };
}
