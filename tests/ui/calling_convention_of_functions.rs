use std::ffi::c_void;

use mpit::event::{Abi, Delivery, DropReport, Farewell};

unsafe fn deliver(_: *mut c_void, _: &Delivery) {}
unsafe extern "C-unwind" fn report(_: *mut c_void, _: &DropReport) {}
unsafe extern "C" fn farewell(_: *mut c_void, _: &Farewell) {}

// SAFETY: the functions take what this tool registers with them.
static TOOL: Abi = unsafe { Abi::new(deliver, report, farewell) };

fn main() {}

// Proves C48.
