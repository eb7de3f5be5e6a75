use mpit::component;
use mpit::traffic::{Lifecycle, Switch, World, osc};

static LISTENING: Switch = osc::switch();

struct Accesses;

impl Lifecycle for Accesses {
    fn switch(&self) -> &'static Switch {
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
