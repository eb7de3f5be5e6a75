//! A plug-in that finds runs of small messages, which a program should combine.
//!
//! ```sh
//! cargo build --release
//! MPIT_PLUGINS=$PWD/target/release/libtiny.so mpit run -- mpiexec -n 4 ./app
//! ```

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::cvar::Cvar;
use mpit::event::{Context, Event as _};
use mpit::component::{Lifecycle, Subscription, World, pml};
use mpit::{category, component, cvar, event, pvar, source};

mpit::plugin!(name = "tiny");

/// Messages that a program should combine.
#[category(name = "tiny")]
struct Tiny;

/// The largest size of a tiny message, in bytes.
#[cvar(scope = "LOCAL", category = Tiny, verbosity = "USER_BASIC")]
static TINY_LIMIT: Cvar<u32> = Cvar::new(64).range(0..=65536);

static MESSAGES: AtomicU64 = AtomicU64::new(0);
static LARGEST_RUN: AtomicU64 = AtomicU64::new(0);

/// Tiny messages sent. Counted while a handle is started.
#[pvar(class = "COUNTER", category = Tiny, verbosity = "USER_BASIC", on_start = listen, on_stop = stop)]
fn tiny_messages() -> u64 {
    MESSAGES.load(Relaxed)
}

/// The longest run of tiny messages to one process.
#[pvar(class = "SIZE", category = Tiny, verbosity = "USER_BASIC", on_start = listen, on_stop = stop)]
fn tiny_run() -> u64 {
    LARGEST_RUN.load(Relaxed)
}

/// The counting of messages.
#[source(unordered)]
struct TinyWatch;

/// A run of tiny messages to one process came to an end.
#[event(source = TinyWatch, category = Tiny)]
struct TinyRunEnded {
    /// The process, by its rank in the world.
    to: u32,
    /// The number of messages.
    messages: u64,
}

static LISTENING: Subscription = Subscription::pml();

fn listen() {
    LISTENING.add();
}

fn stop() {
    LISTENING.remove();
}

/// The current run: the process in the upper half, the number of messages in the lower one.
static RUN: AtomicU64 = AtomicU64::new(0);

struct Watch;

impl Lifecycle for Watch {
    fn subscription(&self) -> &'static Subscription {
        &LISTENING
    }

    fn open(&self, _world: World) -> bool {
        true
    }
}

/// Counts tiny messages.
#[component(framework = "pml", name = "tiny")]
impl pml::Component for Watch {
    fn sent(&self, send: &pml::Send) {
        let is_tiny = send.bytes <= u64::from(TINY_LIMIT.get());
        let run = RUN.load(Relaxed);
        let (to, messages) = ((run >> 32) as u32, run & u64::from(u32::MAX));
        let continues = is_tiny && to == send.to;
        if messages > 1 && !continues {
            TinyRunEnded::raise(Context::ANYWHERE, || TinyRunEnded { to, messages });
        }
        let messages = if continues { messages + 1 } else { u64::from(is_tiny) };
        // Of several threads that send at once, the run is that of the last one.
        RUN.store(u64::from(send.to) << 32 | messages, Relaxed);
        LARGEST_RUN.fetch_max(messages, Relaxed);
        MESSAGES.fetch_add(u64::from(is_tiny), Relaxed);
    }
}
