use mpit::component;
use mpit::component::{Lifecycle, Subscription, World, osc};

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

fn main() {}

// Proves C47.
