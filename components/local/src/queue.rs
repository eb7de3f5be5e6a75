//! The length of the queue of unexpected messages, as a performance variable.
//!
//! A program has the variable when it is a rank of this host. It is added to the registry when the rank starts, and not
//! linked as a static definition: a program with this crate that is not a rank would have a variable that never changes.

use mpit::cell::{CommLevel, CommLevels};
use mpit::desc::{CategoryDesc, Common, Head, Origin, PvarDesc};
use mpit::registry::{Image, Registry};
use mpit::words::{Class, Verbosity};
use mpit_components::comms::CommId;

use super::complain;

static LENGTHS: CommLevels<u64> = CommLevels::new();

static CATEGORY: CategoryDesc = CategoryDesc::new(
    "local_queues",
    "The queues in which messages of the local host wait for their receives.",
    &[],
    &[],
    Origin::new(file!(), line!()),
);

static COMMON: Common = Common::new(env!("CARGO_PKG_NAME"), file!()).categories(&[&CATEGORY]);

static VARIABLES: [PvarDesc; 2] = [unexpected(Class::Level), unexpected(Class::HighWatermark)];

const fn unexpected(class: Class) -> PvarDesc {
    let texts = concat!(
        "unexpected_queue_length",
        "Messages of the communicator that arrived and wait for a receive, those of the host itself included."
    );
    let head = Head::new(texts, "unexpected_queue_length".len(), &COMMON, line!());
    PvarDesc::new(head, class, &LENGTHS).verbosity(Verbosity::UserDetail)
}

/// Adds the variables to the registry.
pub(crate) fn publish() {
    let mut image = Image::new("local");
    image.pvars = VARIABLES.iter().collect();
    for refusal in Registry::global().add(&image, &[]) {
        complain(refusal);
    }
}

/// Returns the length of the queue of a communicator.
pub(crate) fn length_of(comm: CommId) -> CommLevel<u64> {
    LENGTHS.of_comm(comm.get())
}
