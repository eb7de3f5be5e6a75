//! Cost of the calls of a tool and of the updates of a library inside the crate, in nanoseconds. `cargo xtask bench` measures
//! their cost through C, and events, names and the start, beside peers.
//!
//!     cargo run --release -p mpit --example prices

#![allow(unsafe_code, reason = "the interface as C calls it")]

use std::hint::black_box;
use std::time::Instant;

use mpit::cell::{Counter, Level};
use mpit::internal::desc::{Metadata, SharedMetadata};
use mpit::internal::registry::Image;
use mpit::internal::session::{HandleSelection, Interface, Limits};
use mpit::internal::threads;
use mpit::internal::vocabulary::ThreadLevel;
use mpit::tool::{Class, PvarDesc, Registry};

const TURNS: u32 = 2_000_000;

/// Prints the time of one call: the best of several runs, without the loop around it.
fn price(what: &str, call: impl FnMut(u32)) {
    let cost = best(call) - best(|turn| _ = black_box(turn));
    println!("{what:<44} {cost:>8.2}");
}

fn best(mut call: impl FnMut(u32)) -> f64 {
    let run = |_| {
        let begin = Instant::now();
        (0..TURNS).for_each(&mut call);
        begin.elapsed().as_secs_f64() * 1e9 / f64::from(TURNS)
    };
    (0..7).map(run).fold(f64::INFINITY, f64::min)
}

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn metadata(name: &'static str) -> Metadata {
    static SHARED: SharedMetadata = SharedMetadata::new("prices", file!());
    Metadata::of(name, "", &SHARED, line!())
}

fn counter(name: &'static str, cell: &'static Counter<u64>) -> &'static PvarDesc {
    leak(PvarDesc::new(metadata(name), Class::Counter, cell))
}

fn interface(image: &Image) -> &'static Interface {
    let registry = Registry::new();
    let refusals = registry.add(image, &[]);
    assert!(refusals.is_empty(), "{refusals:?}");
    let interface = leak(Interface::new(leak(registry), Limits::default()));
    interface.init(ThreadLevel::Multiple);
    interface
}

fn main() {
    println!("{:<44} {:>8}", "", "ns");
    let (watched, unwatched) = (leak(Counter::new()), leak(Counter::new()));
    let (level, quiet) = (leak(Level::<u64>::new()), leak(Level::<u64>::new()));
    let mut image = Image::new("prices");
    image.pvars = vec![counter("watched", watched), counter("unwatched", unwatched)];
    let mark = PvarDesc::new(metadata("use"), Class::HighWatermark, level);
    image.pvars.push(leak(mark));
    let tools = interface(&image);
    let session = tools.session_create().unwrap();
    let index = tools.registry().pvar_index("watched", Class::Counter).unwrap();
    let (handle, _) = tools.handle_alloc(session, index, None).unwrap();
    let index_of_mark = tools.registry().pvar_index("use", Class::HighWatermark).unwrap();
    let (mark, _) = tools.handle_alloc(session, index_of_mark, None).unwrap();
    tools.start(session, HandleSelection::All).unwrap();

    for concurrent in [true, false] {
        threads::set_concurrent(concurrent);
        println!("updates, {}", if concurrent { "threads at once" } else { "one thread at a time" });
        price("  Counter::add, no handle", |turn| unwatched.add(u64::from(turn)));
        price("  Counter::add, a handle is started", |turn| watched.add(u64::from(turn)));
        price("  Level::set, no handle", |turn| quiet.set(u64::from(turn)));
        price("  Level::set, a watermark is started", |turn| level.set(u64::from(turn)));
    }

    println!("calls");
    let read = |handle| {
        let mut value = 0_u64;
        // SAFETY: the variable is one `u64`.
        unsafe { tools.read(session, handle, (&raw mut value).cast()) }.unwrap();
        black_box(value);
    };
    price("  read, COUNTER", |_| read(handle));
    price("  read, HIGHWATERMARK", |_| read(mark));
    price("  reset, COUNTER", |_| tools.reset(session, HandleSelection::One(handle)).unwrap());
    price("  start and stop, COUNTER", |_| {
        tools.stop(session, HandleSelection::One(handle)).unwrap();
        tools.start(session, HandleSelection::One(handle)).unwrap();
    });
    price("  handle alloc and free, COUNTER", |_| {
        let (handle, _) = tools.handle_alloc(session, index, None).unwrap();
        tools.handle_free(session, handle).unwrap();
    });
    price("  handle alloc and free, HIGHWATERMARK", |_| {
        let (handle, _) = tools.handle_alloc(session, index_of_mark, None).unwrap();
        tools.handle_free(session, handle).unwrap();
    });
}
