//! Events: what happens, told to callbacks as it happens.
//!
//! An event type is a struct with a descriptor; raising one calls the callbacks that tools have registered. Without
//! listeners a raise is one load and a branch, and the payload is not computed. With listeners nothing is locked
//! while callbacks run, nothing is allocated, and nothing waits, so events may be raised in signal handlers and from
//! within callbacks. What cannot be delivered is counted, and the count is told before the next event of the source.
//!
//! | module | what |
//! |---|---|
//! | [`mod@raise`] | raising, and the choice of a callback |
//! | `registration`, `functions`, `cell` | what tools registered |
//! | [`instance`], `payload` | one occurrence, as callbacks see it |
//! | `source` | time stamps, and what is settled before an event |
//! | `backlog`, `ring` | what waits for a better moment, and what is lost |
//! | [`clock`] | ticks |

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
pub use functions::{Abi, Delivery, DropReport, Farewell};
pub use instance::InstanceId;
pub use interface::Hints;
pub use raise::{Context, Event};
pub(crate) use registration::Registration as RegistrationSlot;
pub use registration::RegistrationId;
pub use source::SourceCell;

/// A source of events. Written as `#[source(ordered)] pub struct Clock;`.
///
/// The time stamps that an ordered source gives never fall. That callbacks see them in this order is up to whoever raises
/// its events: from one thread at a time, and not in signal handlers or callbacks that come between. What many threads raise
/// belongs to an unordered source.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source of events",
    label = "not a source",
    note = "a source is written `#[source(ordered)] pub struct Clock;`"
)]
pub trait Source: 'static {
    /// The source's descriptor.
    const DESC: &'static crate::desc::SourceDesc;
}
