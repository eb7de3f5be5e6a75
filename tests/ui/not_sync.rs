use std::cell::Cell;

use mpit::cell::Custom;
use mpit::component::{Lifecycle, Subscription, World, osc};
use mpit::{component, pvar};

trait Listener {}

struct Recorder;

#[component(framework = "recording", name = "recorder")]
impl Listener for Recorder {}

trait Sharing: Send + Sync {}

struct Sized(u32);

#[component(framework = "recording", name = "sized")]
impl Sharing for Sized {}

static LISTENING: Subscription = Subscription::osc();

struct Accesses;

impl Lifecycle for Accesses {
    fn subscription(&self) -> &'static Subscription {
        &LISTENING
    }

    fn open(&self, _world: World) -> bool {
        true
    }
}

#[component(framework = "pml", name = "accesses")]
impl osc::Component for Accesses {
    fn accessed(&self, _access: &osc::Access) {}
}

struct Flush {
    path: Cell<u32>,
}

impl Custom for Flush {
    type Value = u32;
    const COUNT: usize = 1;
}

/// Writes a file.
#[pvar(class = "GENERIC")]
static FLUSH: Flush = Flush { path: Cell::new(0) };

fn main() {}

// Proves C47.
