//! The length of the queue of unexpected messages, as a performance variable.
//!
//! A program has the variable when it is a rank of this host. It is added to the registry when the rank starts, and not
//! linked as a static definition: a program with this crate that is not a rank would have a variable that never changes.

use mpit::cell::{CommLevel, CommLevels};
use mpit::internal::desc::{CategoryDesc, Metadata, Origin, SharedMetadata};
use mpit::internal::registry::Image;
use mpit::tool::{Class, PvarDesc, Registry, Verbosity};
use mpit_components::comms::CommId;

use super::warn;

static LENGTHS: CommLevels<u64> = CommLevels::new();

static CATEGORY: CategoryDesc = CategoryDesc::new(
    "local_queues",
    "The queues in which messages of the local host wait for their receives.",
    &[],
    &[],
    Origin::new(file!(), line!()),
);

static SHARED: SharedMetadata =
    SharedMetadata::new(env!("CARGO_PKG_NAME"), file!()).with_categories(&[&CATEGORY]);

static VARIABLES: [PvarDesc; 2] = [unexpected(Class::Level), unexpected(Class::HighWatermark)];

const fn unexpected(class: Class) -> PvarDesc {
    let texts = concat!(
        "unexpected_queue_length",
        "Messages of the communicator that arrived and wait for a receive, those of the host itself included."
    );
    let metadata = Metadata::new(texts, "unexpected_queue_length".len(), &SHARED, line!());
    PvarDesc::new(metadata, class, &LENGTHS).with_verbosity(Verbosity::UserDetail)
}

/// Adds the variables to the registry.
pub(crate) fn publish() {
    let mut image = Image::new("local");
    image.pvars = VARIABLES.iter().collect();
    for refusal in Registry::global().add(&image, &[]) {
        warn(refusal);
    }
}

/// Returns the length of the queue of a communicator.
pub(crate) fn length_of(comm: CommId) -> CommLevel<u64> {
    LENGTHS.of_comm(comm.get())
}
