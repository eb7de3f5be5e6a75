use std::ffi::c_void;

use mpit::event::{Abi, Delivery, DropReport, FreeNotice};

unsafe fn deliver(_: *mut c_void, _: &Delivery) {}
unsafe extern "C-unwind" fn report(_: *mut c_void, _: &DropReport) {}
unsafe extern "C" fn free_callback(_: *mut c_void, _: &FreeNotice) {}

// SAFETY: the functions take what this tool registers with them.
static TOOL: Abi = unsafe { Abi::new(deliver, report, free_callback) };

fn main() {}

// Proves C48.
