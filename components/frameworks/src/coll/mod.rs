//! Collective communication: the host reports each collective operation that a process takes part in.

pub mod events;

use std::sync::atomic::Ordering::Relaxed;

pub(crate) use mpit::component::coll::LISTENING;
pub use mpit::component::coll::{Component, Kind, Operation, Pattern, Root, Volume};
pub use mpit::component::{CommId, Lifecycle, Subscription, World};
use mpit::cvar::Text;
use mpit::{category, component, cvar};

use events::Sequences;

use crate::framework::{Framework, SelectionList};

/// Collective communication.
#[category(name = "coll")]
#[derive(Debug)]
pub struct Coll;

/// Selection of the components of framework coll, by name. a,b: only these. ^a,b: all except these. Empty: all. Read when
/// MPI is initialized.
#[cvar(
    name = "coll_components", alias = "coll", scope = "LOCAL", settable = "before_init",
    verbosity = "USER_DETAIL", category = Coll
)]
static COMPONENTS: SelectionList = SelectionList::new(Text::new(""));

/// Returns true if a component or a tool listens (one load). Hosts call it to avoid building an [`Operation`].
#[inline]
#[must_use]
pub fn active() -> bool {
    LISTENING.load(Relaxed) != 0
}

/// Returns true if a listener wants beginnings of operations, too (two loads). Hosts call it to avoid building an
/// [`Operation`] for [`Dispatch::begin`].
#[inline]
#[must_use]
pub fn beginnings_wanted() -> bool {
    events::have_listeners()
}

/// The components of a runtime, and their notification.
pub struct Dispatch {
    pub(crate) framework: Framework<dyn Component>,
    sequences: Sequences,
}

impl Dispatch {
    pub(crate) const fn new() -> Self {
        Self {
            framework: Framework::new(component::Framework::Coll, &COMPONENTS, |component| component),
            sequences: Sequences::new(),
        }
    }

    /// Returns true if the component with this subscription is the only one that is open and listens.
    #[inline]
    pub fn is_only(&self, subscription: &'static Subscription) -> bool {
        self.framework.is_only(subscription)
    }

    /// Notifies tools that an operation begins, before the library is called.
    #[inline]
    pub fn begin(&self, operation: &Operation<'_>) {
        events::begin(&self.sequences, operation);
    }

    /// Reports an operation, whose call succeeded, to all listeners.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "hosts call it in one place, for every operation")]
    pub fn end(&'static self, operation: &Operation<'_>) {
        if active() {
            self.framework.each(|component| component.done(operation));
            events::end(&self.sequences, operation);
        }
    }

    /// Adapts to a new communicator, whose slot may have had another one before.
    pub(crate) fn created(&self, comm: CommId) {
        self.sequences.reset(comm);
    }

    pub(crate) fn freed(&'static self, comm: CommId) {
        self.framework.all(|component| component.freed(comm));
    }
}
