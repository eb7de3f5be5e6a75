//! One-sided communication: the host reports each access to memory of another process.

pub mod events;

use std::sync::atomic::Ordering::Relaxed;

pub(crate) use mpit::component::osc::LISTENING;
pub use mpit::component::osc::{Access, Component, Kind};
pub use mpit::component::{Lifecycle, Subscription, World};
use mpit::cvar::Text;
use mpit::event::Event;
use mpit::{category, component, cvar};

use crate::framework::{Framework, SelectionList};

/// One-sided communication.
#[category(name = "osc")]
#[derive(Debug)]
pub struct Osc;

/// Selection of the components of framework osc, by name. a,b: only these. ^a,b: all except these. Empty: all. Read when
/// MPI is initialized.
#[cvar(
    name = "osc_components", alias = "osc", scope = "LOCAL", settable = "before_init",
    verbosity = "USER_DETAIL", category = Osc
)]
static COMPONENTS: SelectionList = SelectionList::new(Text::new(""));

/// Returns true if a component or a tool listens (one load). Hosts call it to avoid building an [`Access`].
#[inline]
#[must_use]
pub fn active() -> bool {
    LISTENING.load(Relaxed) != 0
}

/// The components of a runtime, and their notification.
pub struct Dispatch(pub(crate) Framework<dyn Component>);

impl Dispatch {
    pub(crate) const fn new() -> Self {
        Self(Framework::new(component::Framework::Osc, &COMPONENTS, |component| component))
    }

    /// Returns true if the component with this subscription is the only one that is open and listens, and no tool does.
    #[inline]
    pub fn is_only(&self, subscription: &'static Subscription) -> bool {
        self.0.is_only(subscription) && !events::Accessed::DESC.has_listeners()
    }

    /// Reports an access to all listeners.
    #[inline]
    pub fn accessed(&'static self, access: &Access) {
        if active() {
            self.0.each(|component| component.accessed(access));
            events::accessed(access);
        }
    }
}
