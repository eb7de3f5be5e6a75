//! What it costs to raise an event, in nanoseconds.
//!
//!     cargo run --release -p mpit --example event_prices

#![allow(unsafe_code, reason = "callbacks as C tools have them")]

use std::ffi::c_void;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use mpit::desc::{Element, EventDesc, Origin, SourceDesc};
use mpit::event::instance::Payload;
use mpit::event::{Abi, Context, Delivery, DropReport, Event, EventCell, Farewell, Hints, SourceCell, clock};
use mpit::registry::{Image, Registry};
use mpit::session::{Interface, Limits};
use mpit::words::{Datatype, Safety, SourceOrder, ThreadLevel};

const TURNS: u64 = 2_000_000;

/// A message was sent.
#[derive(Clone, Copy)]
#[repr(C)]
struct Sent {
    bytes: u64,
    tag: u64,
    peer: i32,
}

static CLOCK_CELL: SourceCell = SourceCell::new();
static CLOCK: SourceDesc = SourceDesc::new("clock", SourceOrder::Unordered, &CLOCK_CELL, ORIGIN);
static SENT_CELL: EventCell = EventCell::new();
static SENT: EventDesc = EventDesc::new("sent", ELEMENTS, &CLOCK, &SENT_CELL, ORIGIN);
const ORIGIN: Origin = Origin::new(file!(), line!());
const ELEMENTS: &[Element] = &[
    Element::new(Datatype::Uint64, std::mem::offset_of!(Sent, bytes)),
    Element::new(Datatype::Uint64, std::mem::offset_of!(Sent, tag)),
    Element::new(Datatype::Int32, std::mem::offset_of!(Sent, peer)),
];

impl Event for Sent {
    const DESC: &'static EventDesc = &SENT;

    fn fill(&self, payload: &mut Payload) {
        payload.put(std::mem::offset_of!(Sent, bytes), self.bytes);
        payload.put(std::mem::offset_of!(Sent, tag), self.tag);
        payload.put(std::mem::offset_of!(Sent, peer), self.peer);
    }
}

static ABI: Abi = Abi { deliver, report, farewell };
static TOLD: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" fn deliver(_: *mut c_void, delivery: &Delivery) {
    TOLD.store(black_box(delivery.instance.0), Relaxed);
}

unsafe extern "C" fn report(_: *mut c_void, _: &DropReport) {}

unsafe extern "C" fn farewell(_: *mut c_void, _: &Farewell) {}

fn send(turn: u64) {
    Sent::raise(Context::ANYWHERE, || Sent { bytes: turn, tag: black_box(turn), peer: 3 });
}

/// Prints the time of one call: the best of several runs, without the loop around it.
fn price(what: &str, call: impl Fn(u64)) {
    let cost = best(|turn| call(black_box(turn))) - best(|turn| _ = black_box(turn));
    println!("{what:<44} {cost:>8.2}");
}

fn best(call: impl Fn(u64)) -> f64 {
    let run = |_| {
        let begin = Instant::now();
        (0..TURNS).for_each(&call);
        begin.elapsed().as_secs_f64() * 1e9 / TURNS as f64
    };
    (0..7).map(run).fold(f64::INFINITY, f64::min)
}

fn main() {
    println!("{:<44} {:>8}", "", "ns");
    let registry = Registry::new();
    let mut image = Image::new("prices");
    (image.events, image.sources) = (vec![&SENT], vec![&CLOCK]);
    let refusals = registry.add(&image, &[]);
    assert!(refusals.is_empty(), "{refusals:?}");
    let interface = Interface::new(Box::leak(Box::new(registry)), Limits::default());
    interface.init(ThreadLevel::Multiple);

    let (word, null) = (AtomicU64::new(0), std::ptr::null_mut());
    price("a look at the clock", |_| _ = black_box(clock::now()));
    price("an atomic addition", |turn| _ = word.fetch_add(turn, Relaxed));
    price("raise, nobody listens", send);
    let listen = || {
        let id = interface.event_handle_alloc(0, None, Hints::default(), &ABI).expect("there is room");
        let function = std::ptr::from_ref(&ABI).cast_mut().cast();
        interface.event_register_callback(id, Safety::ThreadSafe, function, null).expect("it is live");
    };
    for count in 1..=2 {
        listen();
        price(&format!("raise, {count} callbacks"), send);
    }
    std::thread::scope(|scope| {
        scope.spawn(|| price("raise, 2 callbacks, 2 threads", send));
        scope.spawn(|| price("raise, 2 callbacks, 2 threads", send));
    });
}
