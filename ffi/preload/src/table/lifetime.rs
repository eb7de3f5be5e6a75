//! The calls between which MPI works, and the program's own word to those who watch it.

use mpit_components::control;
use mpit_ffi::life;

use crate::interpose::calls;

calls! {
    initializing() c fn Init(argc: Place, argv: Place) => life::ensure_up();
    initializing() fortran fn Init() => life::ensure_up();
    initializing() c fn Init_thread(argc: Place, argv: Place, required: Int, provided: Place) => life::ensure_up();
    initializing() fortran fn Init_thread(required: Int, provided: Place) => life::ensure_up();
    before() plain fn Finalize() => life::finalizing();
    // In C, other arguments may follow, which are for other tools.
    passing() plain fn Pcontrol(level: Int) => control::pcontrol(level.get());
}
