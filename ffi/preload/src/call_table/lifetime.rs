//! `MPI_Init*`, `MPI_Finalize`, sessions, `MPI_Pcontrol`, and the descriptions of error codes.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};

use mpit_components::control;
use mpit_ffi::abi::LiveSession;
use mpit_ffi::lifecycle;

use crate::arguments::Argument;
use crate::interpose::calls;
use crate::recorders::{error_texts, in_advance};
use crate::times::{self, PAUSE, RESUME, WRITE};

/// Records a new session. It has an error handler of its own, as have communicators that are created from its groups.
fn session_initialized(session: Option<LiveSession<'_>>) {
    in_advance::forbid();
    times::set_initializing_thread();
    lifecycle::session_initialized(session);
    if lifecycle::is_initialized() {
        EARLY_LEVELS.apply();
    }
}

/// Handles a level, which may be a region of the program. One of before the initialization of MPI, which present libraries refuse, takes
/// effect after it.
fn pcontrol(level: i32) {
    if lifecycle::is_initialized() {
        control::pcontrol(level);
        times::pcontrol(level);
    } else {
        EARLY_LEVELS.note(level);
    }
}

/// Handles a level in C, where the name of a region may follow. Regions with names may begin before the initialization of MPI.
fn pcontrol_in_c(level: i32, name: *const c_void) {
    if !times::named_pcontrol(level, name.cast()) {
        pcontrol(level);
    } else if lifecycle::is_initialized() {
        control::pcontrol(level);
    }
}

/// The levels of `MPI_Pcontrol` before MPI is initialized.
struct EarlyLevels {
    is_paused: AtomicBool,
    /// The level of a region; 1 for none.
    region: AtomicI32,
}

static EARLY_LEVELS: EarlyLevels =
    EarlyLevels { is_paused: AtomicBool::new(false), region: AtomicI32::new(RESUME) };

impl EarlyLevels {
    fn note(&self, level: i32) {
        match level {
            PAUSE => self.is_paused.store(true, Relaxed),
            RESUME => {
                self.is_paused.store(false, Relaxed);
                self.region.store(RESUME, Relaxed);
            }
            // There is nothing to write yet.
            WRITE => {}
            region => self.region.store(region, Relaxed),
        }
    }

    fn apply(&self) {
        let region = self.region.swap(RESUME, Relaxed);
        if region != RESUME {
            pcontrol(region);
        }
        if self.is_paused.swap(false, Relaxed) {
            pcontrol(PAUSE);
        }
    }
}

fn world_initialized() {
    times::set_initializing_thread();
    lifecycle::world_initialized();
    if lifecycle::is_initialized() {
        EARLY_LEVELS.apply();
    }
}

calls! {
    initializing() c fn Init(argc: Pointer, argv: Pointer) => world_initialized();
    initializing() fortran fn Init() => world_initialized();
    initializing() c fn Init_thread(argc: Pointer, argv: Pointer, required: Int, provided: Pointer)
        => world_initialized();
    initializing() fortran fn Init_thread(required: Int, provided: Pointer) => world_initialized();
    // The end itself is seen inside `MPI_Finalize`, by an attribute; this is the last opportunity to set it.
    finalizing() plain fn Finalize() => lifecycle::finalize_begins();
    initializing() c fn Session_init(info: Object, errhandler: Object, session: NewSession)
        => session_initialized(session.live());
    initializing() fortran fn Session_init(info: Object, errhandler: Object, session: NewSession)
        => session_initialized(None);
    finalizing() plain fn Session_finalize(session: Pointer) => lifecycle::session_finalizing();
    always() c fn Error_string(code: Int, text: TextOut, len: IntOut) => error_texts::describe(code, text, len);
    always() c fn Error_class(code: Int, class: IntOut) => error_texts::classify(code, class);
    // Only the first parameter is known: in C, arguments for other tools may follow, or the name of a region.
    variadic() c fn Pcontrol(level: Int, name: Pointer) => pcontrol_in_c(level.get(), name.word().address());
    variadic() fortran fn Pcontrol(level: Int) => pcontrol(level.get());
}
