//! The user's settings in the registry of the process, while several threads use it first.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use crate::support::process::in_own_process_with;
use mpit::cvar::Cvar;
use mpit::internal::session::Interface;
use mpit::tool::{Registry, Tool};

/// True from the time at which a control variable receives its setting.
static IS_BEGUN: AtomicBool = AtomicBool::new(false);
/// True after another thread did not wait for the settings.
static IS_PASSED: AtomicBool = AtomicBool::new(false);

/// The number of threads that begin to use the registry or the interface meanwhile.
const OTHERS: usize = 2;

/// Uses the registry and the interface, and returns once the other threads wait for it, or one has passed without the wait.
fn receive(_: u32) -> mpit::Result<()> {
    let is_registered = Interface::global().registry().cvar_index("settings_first").is_some();
    IS_BEGUN.store(true, Relaxed);
    while Registry::threads_waiting_for_settings() < OTHERS && !IS_PASSED.load(Relaxed) {
        thread::yield_now();
    }
    // The setting counts only then.
    if is_registered { Ok(()) } else { Err(mpit::Error::InvalidName) }
}

/// The control variable that receives its setting first.
#[mpit::cvar(name = "settings_first")]
static FIRST: Cvar<u32> = Cvar::new(0).on_set(receive);

/// The control variable that receives its setting last.
#[mpit::cvar(name = "settings_last")]
static LAST: Cvar<u32> = Cvar::new(0);

#[test]
fn other_threads_wait_for_settings() {
    in_own_process_with(&[("MPIT_SETTINGS_FIRST", "5"), ("MPIT_SETTINGS_LAST", "7")], || {
        let uses: [fn(); OTHERS] = [|| _ = Registry::global(), || drop(Tool::new())];
        thread::scope(|scope| {
            let others = uses.map(|begin_use| {
                scope.spawn(move || {
                    while !IS_BEGUN.load(Relaxed) {
                        thread::yield_now();
                    }
                    begin_use();
                    let last = LAST.get();
                    IS_PASSED.store(true, Relaxed);
                    last
                })
            });
            let _ = Registry::global();
            assert_eq!((FIRST.get(), LAST.get()), (5, 7));
            assert_eq!(others.map(|other| other.join().unwrap()), [7, 7]);
        });
    });
}
