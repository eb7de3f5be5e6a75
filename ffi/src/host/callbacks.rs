//! Detection of callbacks of the program: calls made while the MPI library is further up in the stack.

use std::ffi::{c_int, c_void};

use super::Host;
use super::objects::Object;

#[repr(C)]
struct Frame {
    _opaque: [u8; 0],
}

/// Return codes for the unwinder: `_Unwind_Reason_Code` in the C++ ABI for exceptions.
const GO_ON: c_int = 0;
const STOP: c_int = 4;

unsafe extern "C" {
    fn _Unwind_Backtrace(
        visit: unsafe extern "C" fn(*mut Frame, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(frame: *mut Frame) -> usize;
}

/// The search for the library's code in the stack.
struct Search {
    host: &'static Host,
    /// The object of the previous frame, which is often that of the next one, too.
    last: Option<Object>,
    is_found: bool,
}

/// Returns true if this thread's stack contains a frame of the MPI library. Takes microseconds.
#[cold]
pub(crate) fn is_inside() -> bool {
    let Some(host) = Host::get() else { return false };
    let mut search = Search { host, last: None, is_found: false };
    // SAFETY: `visit` expects a pointer to a `Search`, and does not keep it.
    unsafe { _Unwind_Backtrace(visit, (&raw mut search).cast()) };
    search.is_found
}

unsafe extern "C" fn visit(frame: *mut Frame, search: *mut c_void) -> c_int {
    // SAFETY: `is_inside` passes a `Search` that nothing else uses until `_Unwind_Backtrace` returns.
    let search = unsafe { &mut *search.cast::<Search>() };
    // SAFETY: the unwinder passes a frame that is valid during this call.
    let address = unsafe { _Unwind_GetIP(frame) };
    if search.last.as_ref().is_some_and(|object| object.range.contains(&address)) {
        return GO_ON;
    }
    search.last = Object::containing(address);
    search.is_found = search.last.as_ref().is_some_and(|object| search.host.is_in(object));
    if search.is_found { STOP } else { GO_ON }
}
