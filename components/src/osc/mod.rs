//! One-sided communication: the host reports each access to memory of another process.

pub mod events;
pub mod monitoring;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mpit::cvar::{Cvar, Text};
use mpit::{category, cvar};

use crate::framework::{self, Framework};
pub use crate::framework::{Lifecycle, Switch};
use crate::host::World;
use crate::windows::WindowId;

/// What an access does. The request-based forms (`MPI_Rput` and so on) do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `MPI_Put`.
    Put,
    /// `MPI_Get`.
    Get,
    /// `MPI_Accumulate`.
    Accumulate,
    /// `MPI_Get_accumulate`.
    GetAccumulate,
    /// `MPI_Fetch_and_op`.
    FetchAndOp,
    /// `MPI_Compare_and_swap`.
    CompareAndSwap,
}

/// An access to memory of a process, reported by the one that starts it. Nothing is reported for
/// `MPI_PROC_NULL`, nor for synchronization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The window.
    pub window: WindowId,
    /// The target's rank in the group of the window.
    pub rank: u32,
    /// The rank in the world of the process whose memory it is, or [`mpit::object::OUTSIDE`].
    pub target: u32,
    /// What it does.
    pub kind: Kind,
    /// Bytes that go to the target; 0 for a get.
    pub sent: u64,
    /// Bytes that come back; 0 for a put and an accumulate.
    pub received: u64,
}

/// A component of this framework.
pub trait Component: Lifecycle {
    /// Memory is accessed. Called by whatever thread does it, at the cost of every access: no locks here.
    fn accessed(&self, access: &Access);
}

/// One-sided communication.
#[category(name = "osc")]
#[derive(Debug)]
pub struct Osc;

/// The osc components that listen, by name: a,b for these, ^a,b for all but these, nothing for all. Looked at when MPI
/// is initialized.
#[cvar(
    name = "osc_components",
    alias = "osc",
    scope = "LOCAL",
    settable = "before_init",
    verbosity = "USER_DETAIL",
    category = Osc
)]
static COMPONENTS: Cvar<Text<1024>> = Cvar::new(Text::new(""));

/// How many listen: components, registrations for events, and who wants to know of calls ([`crate::calls`]).
pub(crate) static LISTENING: AtomicU32 = AtomicU32::new(0);

static OSC: Framework<dyn Component> = Framework::new("osc");

/// Whether anybody listens, a component or a tool: one load. Hosts use it to spare themselves the making of an
/// [`Access`].
#[inline]
#[must_use]
pub fn active() -> bool {
    LISTENING.load(Relaxed) != 0
}

/// The switch of a component of this framework: a static beside the component.
#[must_use]
pub const fn switch() -> Switch {
    Switch::new(&LISTENING)
}

/// Reports an access to all who listen.
#[inline]
pub fn accessed(access: &Access) {
    if active() {
        OSC.each(|component| component.accessed(access));
        events::accessed(access);
    }
}

pub(crate) fn open(world: World) {
    OSC.open(framework::components("osc"), COMPONENTS.get().as_str(), world);
}

pub(crate) fn close() {
    OSC.close();
}
