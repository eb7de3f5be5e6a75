//! What tools see of the queues: their lengths, for each communicator.
//!
//! A program has these variables when it is a rank of this host. They are not linked into programs that have this
//! crate for another host, where nothing would ever move them: they join the registry when the rank starts.

use mpit::cell::{CommLevel, CommLevels};
use mpit::desc::{CategoryDesc, Common, Head, Origin, PvarDesc};
use mpit::registry::{Image, Registry};
use mpit::words::{Class, Verbosity};

use crate::comms::CommId;
use crate::complaint::complain;

static UNEXPECTED: CommLevels<u64> = CommLevels::new();
static POSTED: CommLevels<u64> = CommLevels::new();

static CATEGORY: CategoryDesc = CategoryDesc::new(
    "local_queues",
    "The queues in which messages and receives of the local host wait for each other.",
    &[],
    &[],
    Origin::new(file!(), line!()),
);

static COMMON: Common = Common::new(env!("CARGO_PKG_NAME"), file!()).categories(&[&CATEGORY]);

static VARIABLES: [PvarDesc; 4] = [
    unexpected(Class::Level),
    unexpected(Class::HighWatermark),
    posted(Class::Level),
    posted(Class::HighWatermark),
];

const fn unexpected(class: Class) -> PvarDesc {
    let texts = concat!(
        "unexpected_queue_length",
        "Messages of the communicator that arrived and wait for a receive, those of the host itself included."
    );
    let head = Head::new(texts, "unexpected_queue_length".len(), &COMMON, line!());
    PvarDesc::new(head, class, &UNEXPECTED).verbosity(Verbosity::UserDetail)
}

const fn posted(class: Class) -> PvarDesc {
    let texts = concat!(
        "posted_queue_length",
        "Receives that were posted on the communicator and wait for a message."
    );
    let head = Head::new(texts, "posted_queue_length".len(), &COMMON, line!());
    PvarDesc::new(head, class, &POSTED).verbosity(Verbosity::UserDetail)
}

/// Shows the variables to tools.
pub(super) fn publish() {
    let mut image = Image::new("local");
    image.pvars = VARIABLES.iter().collect();
    for refusal in Registry::global().add(&image, &[]) {
        complain(refusal);
    }
}

/// The lengths of the queues of one communicator.
#[derive(Debug)]
pub(super) struct Lengths {
    unexpected: CommLevel<u64>,
    posted: CommLevel<u64>,
}

impl Lengths {
    pub(super) fn of(comm: CommId) -> Self {
        Self { unexpected: UNEXPECTED.of_comm(comm.get()), posted: POSTED.of_comm(comm.get()) }
    }

    /// Says how long the queues are now.
    pub(super) fn set(&self, unexpected: usize, posted: usize) {
        self.unexpected.set(unexpected as u64);
        self.posted.set(posted as u64);
    }
}
