//! `MPI_Init*`, `MPI_Finalize`, sessions, `MPI_Pcontrol`, and the descriptions of error codes.

use mpit_components::control;
use mpit_ffi::abi::LiveSession;
use mpit_ffi::lifecycle;

use crate::interpose::calls;
use crate::recorders::{error_texts, in_advance};
use crate::times;

/// Records a new session. It has an error handler of its own, as have communicators that are created from its groups.
fn session_initialized(session: Option<LiveSession<'_>>) {
    in_advance::forbid();
    lifecycle::session_initialized(session);
}

/// Handles a level, which may be a region of the program.
fn pcontrol(level: i32) {
    control::pcontrol(level);
    times::pcontrol(level);
}

calls! {
    initializing() c fn Init(argc: Pointer, argv: Pointer) => lifecycle::world_initialized();
    initializing() fortran fn Init() => lifecycle::world_initialized();
    initializing() c fn Init_thread(argc: Pointer, argv: Pointer, required: Int, provided: Pointer)
        => lifecycle::world_initialized();
    initializing() fortran fn Init_thread(required: Int, provided: Pointer) => lifecycle::world_initialized();
    // The end itself is seen inside `MPI_Finalize`, by an attribute; this is the last opportunity to set it.
    finalizing() plain fn Finalize() => lifecycle::finalize_begins();
    initializing() c fn Session_init(info: Object, errhandler: Object, session: NewSession)
        => session_initialized(session.live());
    initializing() fortran fn Session_init(info: Object, errhandler: Object, session: NewSession)
        => session_initialized(None);
    finalizing() plain fn Session_finalize(session: Pointer) => lifecycle::session_finalizing();
    always() c fn Error_string(code: Int, text: TextOut, len: IntOut) => error_texts::describe(code, text, len);
    always() c fn Error_class(code: Int, class: IntOut) => error_texts::classify(code, class);
    // Only the first parameter is known: in C, arguments for other tools may follow.
    variadic() plain fn Pcontrol(level: Int) => pcontrol(level.get());
}
