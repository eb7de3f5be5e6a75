//! Events: types with a payload, which a library raises and to which tools register callbacks.
//!
//! An event type is a struct with the attribute `event`, and belongs to a source, a unit struct with the attribute `source`. Tools listen with [`Tool::on`](crate::tool::Tool::on) or
//! [`Tool::listen`](crate::tool::Tool::listen).
//!
//! Without listeners, raising an event is one load and a branch, and the payload is not computed. With listeners, no lock is held
//! while callbacks run, nothing is allocated, and nothing waits, so events may be raised in signal handlers and in callbacks.
//! Events that cannot be delivered are counted as dropped, and the count is reported before the next event of the source.

// | module | content |
// |---|---|
// | `raise` | raising events, and the choice of a callback |
// | `ids` | identifiers of registrations and instances |
// | `registration`, `functions`, `cell` | registrations and their callbacks |
// | `release` | freeing registrations while events are delivered |
// | `desc`, `element` | descriptors, and the checks of their elements |
// | `instance`, `payload`, `delivery` | event instances, as callbacks see them |
// | `source` | time stamps, and the work before an event |
// | `drops` | dropped events |
// | `clock` | the clock of time stamps |

mod cell;
#[doc(hidden)]
pub mod clock;
pub(crate) mod delivery;
pub(crate) mod desc;
mod drops;
#[doc(hidden)]
pub mod element;
mod functions;
mod ids;
#[doc(hidden)]
pub mod instance;
mod payload;
#[doc(hidden)]
pub mod raise;
mod registration;
mod release;
mod source;

#[doc(hidden)]
pub use cell::EventCell;
pub(crate) use delivery::EventInstance;
#[doc(hidden)]
pub use delivery::read_element;
pub(crate) use desc::{EventDesc, SourceDesc};
#[doc(hidden)]
pub use element::{Element, LARGEST_EVENT};
#[doc(hidden)]
pub use functions::{Abi, Delivery, DropReport, FreeNotice};
#[doc(hidden)]
pub use ids::{InstanceId, RegistrationId};
#[doc(inline)]
pub use raise::{Context, Event};
pub(crate) use registration::{PinGuard, Registration};
#[doc(hidden)]
pub use source::SourceCell;

#[doc(inline)]
pub use crate::vocabulary::Safety;

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
#[doc(hidden)]
pub trait Source: 'static {
    /// The source's descriptor.
    const DESC: &'static SourceDesc;
}
