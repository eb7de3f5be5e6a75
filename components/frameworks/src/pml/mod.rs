//! Point-to-point communication: the host reports each message that a process sends.

pub mod events;

use std::sync::atomic::Ordering::Relaxed;

pub(crate) use mpit::component::pml::LISTENING;
pub use mpit::component::pml::{Component, Mode, Send};
pub use mpit::component::{Lifecycle, Subscription, World};
use mpit::cvar::Text;
use mpit::event::Event;
use mpit::{category, component, cvar};

use crate::framework::{Framework, SelectionList};

/// Point-to-point communication.
#[category(name = "pml")]
#[derive(Debug)]
pub struct Pml;

/// Selection of the components of framework pml, by name. a,b: only these. ^a,b: all except these. Empty: all. Read when
/// MPI is initialized.
#[cvar(
    name = "pml_components", alias = "pml", scope = "LOCAL", settable = "before_init",
    verbosity = "USER_DETAIL", category = Pml
)]
static COMPONENTS: SelectionList = SelectionList::new(Text::new(""));

/// Returns true if a component or a tool listens (one load). Hosts call it to avoid building a [`Send`].
#[inline]
#[must_use]
pub fn active() -> bool {
    LISTENING.load(Relaxed) != 0
}

/// The components of a runtime, and their notification.
pub struct Dispatch(pub(crate) Framework<dyn Component>);

impl Dispatch {
    pub(crate) const fn new() -> Self {
        Self(Framework::new(component::Framework::Pml, &COMPONENTS, |component| component))
    }

    /// Returns true if the component with this subscription is the only one that is open and listens, and no tool does.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "hosts call it in one place, for every message")]
    pub fn is_only(&self, subscription: &'static Subscription) -> bool {
        self.0.is_only(subscription) && !events::MessageSent::DESC.has_listeners()
    }

    /// Reports a message to all listeners.
    #[inline]
    pub fn sent(&'static self, send: &Send) {
        self.0.each(|component| component.sent(send));
        events::sent(send);
    }
}
