use std::ffi::c_void;
use std::sync::atomic::AtomicU64;

use mpit::event::{Abi, Delivery, DropReport, FreeNotice};
use mpit::{event, source};

unsafe fn deliver(_: *mut c_void, _: &Delivery) {}
unsafe extern "C-unwind" fn report(_: *mut c_void, _: &DropReport) {}
unsafe extern "C" fn free_callback(_: *mut c_void, _: &FreeNotice) {}

// SAFETY: the functions take what this tool registers with them.
static TOOL: Abi = unsafe { Abi::new(deliver, report, free_callback) };

static LISTENERS: AtomicU64 = AtomicU64::new(0);

/// A clock.
#[source(ordered)]
struct Clock;

/// It ticks.
#[event(source = Clock, listeners = LISTENERS)]
struct Tick {
    number: u64,
}

mpit::plugin!(name = "acme", activate = start, deactivate = stop);

fn start() -> bool {
    true
}

fn stop(_now: bool) {}

fn main() {
    let _ = Tick { number: 1 }.number;
}

// Proves C48, C50, C53.
