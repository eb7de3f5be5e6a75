//! Components.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::component::coll::{self, Operation};
use mpit::component::osc::{self, Access};
use mpit::component::pml::{self, Send};
use mpit::component::{CommId, Lifecycle, Subscription, World};
use mpit::{component, pvar};

use crate::groups::Every;

static OF_MESSAGES: Subscription = Subscription::pml();
static OF_ACCESSES: Subscription = Subscription::osc();
static OF_OPERATIONS: Subscription = Subscription::coll();

static MESSAGES: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
static ACCESSES: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
static OPERATIONS: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];
static OPENED: AtomicU64 = AtomicU64::new(0);

fn listen() {
    OF_MESSAGES.add();
}

fn turn_away() {
    OF_MESSAGES.remove();
}

/// Messages that were sent, and their bytes. They are received only while a handle is started.
#[pvar(class = "GENERIC", count = 2, category = Every, on_start = listen, on_stop = turn_away)]
fn every_messages(out: &mut [u64]) {
    show(&MESSAGES, out);
}

/// Accesses to memory, and the bytes that they move.
#[pvar(class = "GENERIC", count = 2, category = Every)]
fn every_accesses(out: &mut [u64]) {
    show(&ACCESSES, out);
}

/// Collective operations, the bytes exchanged with rank 0, their kinds added up, and communicators that were freed.
#[pvar(class = "GENERIC", count = 4, category = Every)]
fn every_operations(out: &mut [u64]) {
    show(&OPERATIONS, out);
}

/// The size of the world, as each component received it.
#[pvar(class = "SIZE", category = Every)]
fn every_worlds() -> u64 {
    OPENED.load(Relaxed)
}

fn show(counts: &[AtomicU64], out: &mut [u64]) {
    for (count, out) in counts.iter().zip(out) {
        *out = count.load(Relaxed);
    }
}

fn add(counts: &[AtomicU64], amounts: &[u64]) {
    for (count, amount) in counts.iter().zip(amounts) {
        count.fetch_add(*amount, Relaxed);
    }
}

/// A component with a subscription of its own.
struct Recorder {
    subscription: &'static Subscription,
    /// True if the component subscribes as it is opened. The other one receives calls only while a handle is started.
    listens: bool,
}

impl Lifecycle for Recorder {
    fn subscription(&self) -> &'static Subscription {
        self.subscription
    }

    fn open(&self, world: World) -> bool {
        OPENED.fetch_add(u64::from(world.size), Relaxed);
        if self.listens {
            self.subscription.add();
        }
        true
    }
}

/// Listens to messages.
#[component(framework = "pml", name = "every", object = Recorder { subscription: &OF_MESSAGES, listens: false })]
impl pml::Component for Recorder {
    fn sent(&self, send: &Send) {
        add(&MESSAGES, &[1, send.bytes]);
    }
}

/// A component without a value: the attribute makes it from the type.
struct Accesses;

impl Lifecycle for Accesses {
    fn subscription(&self) -> &'static Subscription {
        &OF_ACCESSES
    }

    fn open(&self, world: World) -> bool {
        OPENED.fetch_add(u64::from(world.size), Relaxed);
        OF_ACCESSES.add();
        true
    }
}

/// Listens to accesses.
#[component(framework = "osc", name = "every")]
impl osc::Component for Accesses {
    fn accessed(&self, access: &Access) {
        add(&ACCESSES, &[1, access.sent + access.received]);
    }
}

/// Listens to collective operations.
#[component(framework = "coll", name = "every", object = Recorder { subscription: &OF_OPERATIONS, listens: true })]
impl coll::Component for Recorder {
    fn done(&self, operation: &Operation<'_>) {
        add(&OPERATIONS, &[1, operation.volume.with(0), operation.kind as u64]);
    }

    fn freed(&self, _comm: CommId) {
        add(&OPERATIONS, &[0, 0, 0, 1]);
    }
}
