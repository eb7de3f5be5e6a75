//! One-sided communication: the host reports each access to memory of another process.

pub mod events;
pub mod monitoring;

use std::sync::atomic::Ordering::Relaxed;

pub(crate) use mpit::component::osc::LISTENING;
pub use mpit::component::osc::{Access, Component, Kind};
pub use mpit::component::{Lifecycle, Subscription};
use mpit::cvar::{Cvar, Text};
use mpit::{category, component, cvar};

use crate::framework::{self, AnyFramework, Framework};
use crate::host::World;
use crate::selection::List;

/// One-sided communication.
#[category(name = "osc")]
#[derive(Debug)]
pub struct Osc;

/// Selection of the components of framework osc, by name. a,b: only these. ^a,b: all except these. Empty: all. Read when
/// MPI is initialized.
#[cvar(
    name = "osc_components",
    alias = "osc",
    scope = "LOCAL",
    settable = "before_init",
    verbosity = "USER_DETAIL",
    category = Osc
)]
static COMPONENTS: Cvar<Text<1024>> = Cvar::new(Text::new(""));

static OSC: Framework<dyn Component> = Framework::new(component::Framework::Osc, |component| component);

/// Returns true if a component or a tool listens (one load). Hosts call it to avoid building an [`Access`].
#[inline]
#[must_use]
pub fn active() -> bool {
    LISTENING.load(Relaxed) != 0
}

/// Counts an access on the fast path: monitoring is the only listener, and nothing has to be allocated. Returns false, and
/// does nothing, otherwise. Does not panic.
#[inline]
#[must_use]
pub fn count(access: &Access) -> bool {
    OSC.is_only(&monitoring::SUBSCRIPTION) && !events::have_listeners() && monitoring::count(access)
}

/// Reports an access to all listeners.
#[inline]
pub fn accessed(access: &Access) {
    if active() {
        OSC.each(|component| component.accessed(access));
        events::accessed(access);
    }
}

pub(crate) fn open(world: World) {
    OSC.open(framework::components("osc"), &selection(), world);
}

/// Returns the selection list in effect.
pub(crate) fn selection() -> List {
    List::effective("osc", COMPONENTS.get().as_str())
}

/// Returns this framework as a trait object.
pub(crate) fn framework() -> &'static dyn AnyFramework {
    &OSC
}
