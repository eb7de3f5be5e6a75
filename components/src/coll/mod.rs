//! Collective communication: the host reports each collective operation that a process takes part in.

pub mod events;
pub mod monitoring;

use std::sync::atomic::Ordering::Relaxed;

pub(crate) use mpit::component::coll::LISTENING;
pub use mpit::component::coll::{Component, Kind, Operation, Pattern, Root, Volume};
pub use mpit::component::{Lifecycle, Subscription};
use mpit::cvar::{Cvar, Text};
use mpit::{category, component, cvar};

use crate::comms::{CommId, Record};
use crate::framework::{self, AnyFramework, Framework};
use crate::host::World;
use crate::selection::List;

/// Collective communication.
#[category(name = "coll")]
#[derive(Debug)]
pub struct Coll;

/// Selection of the components of framework coll, by name. a,b: only these. ^a,b: all except these. Empty: all. Read when
/// MPI is initialized.
#[cvar(
    name = "coll_components",
    alias = "coll",
    scope = "LOCAL",
    settable = "before_init",
    verbosity = "USER_DETAIL",
    category = Coll
)]
static COMPONENTS: Cvar<Text<1024>> = Cvar::new(Text::new(""));

static COLL: Framework<dyn Component> = Framework::new(component::Framework::Coll, |component| component);

/// Returns true if a component or a tool listens (one load). Hosts call it to avoid building an [`Operation`].
#[inline]
#[must_use]
pub fn active() -> bool {
    LISTENING.load(Relaxed) != 0
}

/// Returns true if a listener wants beginnings of operations, too (two loads). Hosts call it to avoid building an
/// [`Operation`] for [`begin`].
#[inline]
#[must_use]
pub fn beginnings_wanted() -> bool {
    events::have_listeners()
}

/// Notifies tools that an operation begins, before the library is called.
#[inline]
pub fn begin(operation: &Operation<'_>) {
    events::begin(operation);
}

/// Counts an operation whose call succeeded, on the fast path: monitoring is the only component that listens, and nothing
/// has to be allocated. Returns false, and does nothing, otherwise. The caller guarantees that no tool listened when the
/// operation began ([`beginnings_wanted`]). Does not panic.
#[inline]
#[must_use]
pub fn count(operation: &Operation<'_>) -> bool {
    COLL.is_only(&monitoring::SUBSCRIPTION) && monitoring::count(operation)
}

/// Reports an operation, whose call succeeded, to all listeners.
#[inline(always)]
#[allow(clippy::inline_always, reason = "hosts call it in one place, for every operation")]
pub fn end(operation: &Operation<'_>) {
    if active() {
        COLL.each(|component| component.done(operation));
        events::end(operation);
    }
}

/// Notifies the framework of a new communicator.
pub(crate) fn created(record: &Record) {
    events::created(record.id);
    monitoring::created(record);
}

/// Notifies the components of a freed communicator.
pub(crate) fn freed(comm: CommId) {
    COLL.all(|component| component.freed(comm));
}

pub(crate) fn open(world: World) {
    COLL.open(framework::components("coll"), &selection(), world);
}

/// Returns the selection list in effect.
pub(crate) fn selection() -> List {
    List::effective("coll", COMPONENTS.get().as_str())
}

/// Returns this framework as a trait object.
pub(crate) fn framework() -> &'static dyn AnyFramework {
    &COLL
}
