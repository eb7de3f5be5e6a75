//! Findings: what is wrong, and which processes it concerns.

use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Finding {
    pub(crate) kind: FindingKind,
    /// The processes with the mistake, or that the others wait for.
    pub(crate) culprits: Vec<u32>,
    /// The processes that wait for them.
    pub(crate) waiting: Vec<u32>,
    pub(crate) text: String,
}

impl Finding {
    pub(super) fn new(
        kind: FindingKind,
        culprits: impl IntoIterator<Item = u32>,
        waiting: impl IntoIterator<Item = u32>,
        text: String,
    ) -> Self {
        Self { kind, culprits: culprits.into_iter().collect(), waiting: waiting.into_iter().collect(), text }
    }
}

/// The kinds of findings, the most important one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FindingKind {
    /// A process has ended.
    Gone,
    /// A process is stopped by a signal or a debugger.
    Stopped,
    /// Processes make different calls as the same collective operation.
    CollectiveDiffers,
    RootDiffers,
    CountDiffers,
    /// Processes create a communicator with different tags.
    TagDiffers,
    /// Processes make collective operations on several communicators in different orders.
    CommunicatorOrder,
    /// Processes wait for each other's messages in a cycle.
    MessageCycle,
    SendUnreceived,
    ReceiveUnserved,
    RmaLock,
    RmaEpoch,
    CollectiveSkipped,
    NotInitialized,
    FinalizedEarly,
    /// A process tests for the state of its operations again and again.
    Polling,
    /// A process computes outside of MPI.
    Computing,
    /// A process waits for something else than MPI.
    Sleeping,
    /// A process is not known; it may be on another node.
    Unknown,
    /// It is not known whether a process makes progress in its call.
    Undetermined,
    /// All processes take part in their operations.
    Transferring,
}
