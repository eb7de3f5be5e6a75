//! Events and their delivery to the callbacks of tools.
//!
//! An event type is a struct with a descriptor; raising an event calls the callbacks that tools have registered. Without
//! listeners a raise is one load and a branch, and the payload is not computed. With listeners, no lock is held while callbacks
//! run, nothing is allocated, and nothing waits, so events may be raised in signal handlers and in callbacks. Events that cannot
//! be delivered are counted as dropped, and the count is reported before the next event of the source.
//!
//! | module | content |
//! |---|---|
//! | [`mod@raise`] | raising events, and the choice of a callback |
//! | `registration`, `functions`, `cell` | registrations and their callbacks |
//! | [`instance`], `payload` | event instances, as callbacks see them |
//! | `source` | time stamps, and the work before an event |
//! | `backlog`, `ring` | deferred and dropped events |
//! | [`clock`] | the clock of time stamps |

mod backlog;
mod cell;
pub mod clock;
mod functions;
pub mod instance;
mod interface;
mod payload;
pub mod raise;
mod registration;
mod ring;
mod source;

pub use cell::EventCell;
pub use functions::{Abi, Delivery, DropReport, FreeNotice};
pub use instance::InstanceId;
pub use interface::Hints;
pub use raise::{Context, Event};
pub(crate) use registration::Registration as RegistrationSlot;
pub use registration::RegistrationId;
pub use source::SourceCell;

/// A source of events. Written as `#[source(ordered)] pub struct Clock;`.
///
/// The time stamps of an ordered source never decrease. For callbacks to see them in this order, the events must be raised by one
/// thread at a time, and not in signal handlers or callbacks that interrupt a raise. Events that several threads raise at once
/// belong to an unordered source.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source of events",
    label = "not a source",
    note = "a source is written `#[source(ordered)] pub struct Clock;`"
)]
pub trait Source: 'static {
    /// The source's descriptor.
    const DESC: &'static crate::desc::SourceDesc;
}
