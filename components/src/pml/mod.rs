//! Point-to-point communication: the host reports each message that a process sends.

pub mod events;
pub mod monitoring;

use std::sync::atomic::Ordering::Relaxed;

pub(crate) use mpit::component::pml::LISTENING;
pub use mpit::component::pml::{Component, Mode, Send};
pub use mpit::component::{Lifecycle, Subscription};
use mpit::cvar::{Cvar, Text};
use mpit::{category, component, cvar};

use crate::framework::{self, AnyFramework, Framework};
use crate::host::World;
use crate::selection::List;

/// Point-to-point communication.
#[category(name = "pml")]
#[derive(Debug)]
pub struct Pml;

/// Selection of the components of framework pml, by name. a,b: only these. ^a,b: all except these. Empty: all. Read when
/// MPI is initialized.
#[cvar(
    name = "pml_components",
    alias = "pml",
    scope = "LOCAL",
    settable = "before_init",
    verbosity = "USER_DETAIL",
    category = Pml
)]
static COMPONENTS: Cvar<Text<1024>> = Cvar::new(Text::new(""));

static PML: Framework<dyn Component> = Framework::new(component::Framework::Pml, |component| component);

/// Returns true if a component or a tool listens (one load). Hosts call it to avoid building a [`Send`].
#[inline]
#[must_use]
pub fn active() -> bool {
    LISTENING.load(Relaxed) != 0
}

/// Counts a message on the fast path: monitoring is the only listener, and nothing has to be allocated. Returns false, and
/// does nothing, otherwise. Does not panic.
#[inline(always)]
#[allow(clippy::inline_always, reason = "hosts call it in one place, for every message")]
#[must_use]
pub fn count(send: &Send) -> bool {
    PML.is_only(&monitoring::SUBSCRIPTION) && !events::have_listeners() && monitoring::count(send)
}

/// Reports a message to all listeners.
#[inline]
pub fn sent(send: &Send) {
    PML.each(|component| component.sent(send));
    events::sent(send);
}

pub(crate) fn open(world: World) {
    PML.open(framework::components("pml"), &selection(), world);
}

/// Returns the selection list in effect.
pub(crate) fn selection() -> List {
    List::effective("pml", COMPONENTS.get().as_str())
}

/// Returns this framework as a trait object.
pub(crate) fn framework() -> &'static dyn AnyFramework {
    &PML
}
