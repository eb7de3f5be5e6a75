//! Cost of raising an event, in nanoseconds.

#![allow(unsafe_code, reason = "functions are registered as C tools register theirs")]

use std::ffi::c_void;
use std::hint::black_box;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread;

use mpit::event::{Abi, Context, Delivery, DropReport, Event, FreeNotice, Safety, clock, instance};
use mpit::internal::session::Interface;
use mpit::tool::Tool;
use mpit::{Result, event, source};
use mpit_benches::{Block, a_loop, measure, per_turn};

const BLOCKS: u32 = 200;
const TURNS: u32 = 50_000;

/// The clock of the processor.
#[source(unordered)]
struct Clock;

macro_rules! event {
    ($($(#[doc = $what:literal])+ $name:ident)+) => {$(
        $(#[doc = $what])+
        #[event(source = Clock)]
        struct $name {
            /// The number of bytes.
            bytes: u64,
            /// The tag of the message.
            tag: u64,
            /// The rank of the receiver.
            peer: i32,
        }

        impl $name {
            #[inline]
            fn happens(turn: u32) {
                Self::raise(Context::ANYWHERE, || Self { bytes: turn.into(), tag: 7, peer: 3 });
            }
        }
    )+};
}

event! {
    /// No callback.
    Quiet
    /// One callback.
    Once
    /// One callback, which reads the time stamp.
    Timed
    /// Two callbacks.
    Twice
}

/// The last values that callbacks received.
static INSTANCE: AtomicU64 = AtomicU64::new(0);
static TIME: AtomicI64 = AtomicI64::new(0);

/// The number of listeners in code without mpit.
static LISTENERS: AtomicU32 = AtomicU32::new(0);

// SAFETY: the functions take what this tool registers with them.
static RECEIVE: Abi = unsafe { Abi::new(receive, report, free_callback) };
// SAFETY: the functions take what this tool registers with them.
static TAKES_TIME: Abi = unsafe { Abi::new(takes_time, report, free_callback) };

extern "C" fn receive(_: *mut c_void, delivery: &Delivery) {
    INSTANCE.store(delivery.instance.0, Relaxed);
}

extern "C" fn takes_time(_: *mut c_void, delivery: &Delivery) {
    if let Ok(time) = instance::timestamp(delivery.instance) {
        TIME.store(time, Relaxed);
    }
}

extern "C" fn report(_: *mut c_void, _: &DropReport) {}

extern "C" fn free_callback(_: *mut c_void, _: &FreeNotice) {}

/// A callback without mpit.
extern "C" fn plain(turn: u64) {
    INSTANCE.store(turn, Relaxed);
}

/// Calls [`plain`] out of line, as a raise calls its slow path.
#[cold]
#[inline(never)]
fn call_rarely(turn: u32) {
    call(turn);
}

/// Calls it through a pointer, which the compiler does not know.
#[inline]
fn call(turn: u32) {
    let function: extern "C" fn(u64) = black_box(plain);
    function(turn.into());
}

fn listen(event: &str, abi: &'static Abi) -> Result<()> {
    let interface = Interface::global();
    let index = interface.registry().event_index(event).ok_or(mpit::Error::InvalidName)?;
    let id = interface.event_handle_alloc(index, None, abi)?;
    let function = std::ptr::from_ref(abi).cast_mut().cast();
    // SAFETY: the functions of these `Abi` do not look at it.
    unsafe { interface.event_register_callback(id, Safety::ThreadSafe, function, std::ptr::null_mut()) }
}

/// Returns a block that runs in two threads at once, with the time of the slower one.
fn at_once(block: fn() -> f64) -> Block<'static> {
    Box::new(move || {
        thread::scope(|scope| {
            let other = scope.spawn(block);
            block().max(other.join().unwrap_or(f64::INFINITY))
        })
    })
}

fn main() -> Result<()> {
    let _tool = Tool::new();
    for (event, abi) in [("once", &RECEIVE), ("timed", &TAKES_TIME), ("twice", &RECEIVE), ("twice", &RECEIVE)]
    {
        listen(event, abi)?;
    }
    let listeners = black_box(&LISTENERS);
    measure(
        BLOCKS,
        [
            ("loop", a_loop(TURNS, |_| ())),
            (
                "branch",
                a_loop(TURNS, move |turn| {
                    // Through a pointer: nothing stores to the static, so the compiler would leave out the branch.
                    if listeners.load(Relaxed) != 0 {
                        call_rarely(turn);
                    }
                }),
            ),
            ("quiet", a_loop(TURNS, Quiet::happens)),
            ("call", a_loop(TURNS, call)),
            ("once", a_loop(TURNS, Once::happens)),
            (
                "call+clock",
                a_loop(TURNS, |turn| {
                    TIME.store(clock::now(), Relaxed);
                    call(turn);
                }),
            ),
            ("timed", a_loop(TURNS, Timed::happens)),
            ("twice", a_loop(TURNS, Twice::happens)),
            ("concurrent", at_once(|| per_turn(TURNS, Once::happens))),
        ],
    );
    // Each event calls its own callbacks, and no other.
    for (happens, received, timed) in [
        (Quiet::happens as fn(u32), false, false),
        (Once::happens, true, false),
        (Timed::happens, false, true),
        (Twice::happens, true, false),
    ] {
        INSTANCE.store(0, Relaxed);
        TIME.store(0, Relaxed);
        happens(1);
        assert_eq!(
            (INSTANCE.load(Relaxed) != 0, TIME.load(Relaxed) != 0),
            (received, timed),
            "the callbacks that ran"
        );
    }
    Ok(())
}
