//! Point to point: the host reports each message that a process sends.

pub mod events;
pub mod monitoring;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mpit::cvar::{Cvar, Text};
use mpit::{category, cvar};

use crate::comms::CommId;
use crate::framework::{self, Framework};
pub use crate::framework::{Lifecycle, Switch};
use crate::host::World;

/// How a message is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// `MPI_Send` and its relatives, also the sending half of `MPI_Sendrecv`.
    #[default]
    Standard,
    /// `MPI_Bsend` and its relatives.
    Buffered,
    /// `MPI_Ssend` and its relatives.
    Synchronous,
    /// `MPI_Rsend` and its relatives.
    Ready,
}

/// A message that is sent. Reported once per message, when it is handed to the library; for a persistent one
/// each time it is started. Nothing is reported for `MPI_PROC_NULL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// The communicator it is sent on.
    pub comm: CommId,
    /// The receiver's rank in the communicator.
    pub dest: u32,
    /// The receiver's rank in the world, or [`mpit::object::OUTSIDE`].
    pub to: u32,
    /// Bytes of payload: elements times the size of their type.
    pub bytes: u64,
    /// Its tag; negative for messages of the library's own.
    pub tag: i32,
    /// How it is sent.
    pub mode: Mode,
}

/// A component of this framework.
pub trait Component: Lifecycle {
    /// A message is sent. Called by whatever thread sends it, at the cost of every message: no locks here.
    fn sent(&self, send: &Send);
}

/// Point-to-point communication.
#[category(name = "pml")]
#[derive(Debug)]
pub struct Pml;

/// The pml components that listen, by name: a,b for these, ^a,b for all but these, nothing for all. Looked at when MPI
/// is initialized.
#[cvar(
    name = "pml_components",
    alias = "pml",
    scope = "LOCAL",
    settable = "before_init",
    verbosity = "USER_DETAIL",
    category = Pml
)]
static COMPONENTS: Cvar<Text<1024>> = Cvar::new(Text::new(""));

/// How many listen: components, registrations for events, and who wants to know of calls ([`crate::calls`]).
pub(crate) static LISTENING: AtomicU32 = AtomicU32::new(0);

static PML: Framework<dyn Component> = Framework::new("pml");

/// Whether anybody listens, a component or a tool: one load. Hosts use it to spare themselves the making of a [`Send`].
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

/// Reports a message to all who listen.
#[inline]
pub fn sent(send: &Send) {
    if active() {
        PML.each(|component| component.sent(send));
        events::sent(send);
    }
}

pub(crate) fn open(world: World) {
    PML.open(framework::components("pml"), COMPONENTS.get().as_str(), world);
}

pub(crate) fn close() {
    PML.close();
}
