//! The differences between mpit's counts and those of Open MPI's own monitoring, each with its reason.
//! `docs/monitoring.md` has the same list for users. A difference that is not listed is a defect.

use super::steps::Sum;

/// A difference between the two counts in some steps.
pub(super) struct Difference {
    /// Words in the name of the step; alternatives are separated by `|`.
    pub(super) steps: &'static [&'static str],
    /// Messages (E), bytes sent (S) and fetched (R) by one-sided accesses, collective operations by process (C), and
    /// by communicator from one to all (O2A), all to one (A2O), all to all (A2A).
    pub(super) rows: &'static [&'static str],
    /// The count of Open MPI's own monitoring, compared with ours.
    pub(super) native: Native,
    /// True if the difference disappears with `coll_monitoring_compat`.
    pub(super) compat: bool,
    /// The only library with the difference; `None` for all.
    pub(super) only_on: Option<&'static str>,
    pub(super) why: &'static str,
}

/// The count of Open MPI's own monitoring, compared with ours.
#[derive(Clone, Copy, Debug)]
pub(super) enum Native {
    Nothing,
    /// The messages, without bytes.
    NoBytes,
    /// The messages, with more bytes.
    MoreBytes(u64),
    /// The messages, with fewer bytes.
    FewerBytes(u64),
    /// More messages, and at least as many bytes.
    More,
    /// The messages that prepare the transfer, instead of the data.
    Preparations,
}

impl Difference {
    pub(super) fn is_on(&self, label: &str) -> bool {
        self.only_on.is_none_or(|only| only == label)
    }

    /// Returns true if it explains the two counts in a step.
    pub(super) fn explains(&self, step: &str, row: &str, ours: Sum, native: Sum) -> bool {
        let has =
            |alternatives: &&str| alternatives.split('|').any(|one| step.split(' ').any(|word| word == one));
        self.rows.contains(&row) && self.steps.iter().all(has) && self.native.fits(ours, native)
    }
}

impl Native {
    fn fits(self, ours: Sum, native: Sum) -> bool {
        let same = ours.0 == native.0;
        match self {
            Self::Nothing => native == (0, 0),
            Self::NoBytes => same && native.1 == 0,
            Self::MoreBytes(bytes) => same && native.1 == ours.1 + bytes,
            Self::FewerBytes(bytes) => same && native.1 + bytes == ours.1,
            Self::More => native.0 > ours.0 && native.1 >= ours.1,
            // Open MPI's preparation has 40 bytes in each direction.
            Self::Preparations => native == (1, 40),
        }
    }
}

use Native::{FewerBytes, MoreBytes, NoBytes, Nothing, Preparations};

/// All differences. Blocks have 12 bytes in most steps; in `scatterv` that of the root has 8, and neighbor i
/// gets 4 more than the one before it.
#[rustfmt::skip]
pub(super) const DIFFERENCES: &[Difference] = &[
    Difference { steps: &["persistent"], rows: &["E"], native: Nothing, compat: false, only_on: Some("ompi5.0.11"),
        why: "a persistent request starts itself by a function of the transport, behind the component that counts" },
    Difference { steps: &["persistent", "on"], rows: &["C", "O2A", "A2O", "A2A"], native: Nothing, compat: false, only_on: None,
        why: "its component has no functions for persistent collective operations" },
    Difference { steps: &["partitions"], rows: &["E"], native: Preparations, compat: false, only_on: Some("ompi5.0.11"),
        why: "it counts how the library agrees on a partitioned message, as the program's own, and not the message" },
    Difference { steps: &["partitions"], rows: &["C", "A2A"], native: Native::More, compat: false, only_on: Some("ompi5.0.11"),
        why: "the library duplicates a communicator for partitioned messages" },
    Difference { steps: &["create"], rows: &["C", "A2A"], native: Native::More, compat: false, only_on: None,
        why: "the library agrees on new communicators and windows by collective operations" },
    Difference { steps: &["create", "intercommunicator"], rows: &["E"], native: Native::More, compat: false, only_on: Some("ompi5.0.11"),
        why: "the leaders of both groups agree by messages with the program's tag" },
    Difference { steps: &["synchronize|free", "window"], rows: &["C", "A2A"], native: Native::More, compat: false, only_on: None,
        why: "fences and the end of a window are barriers of the library" },
    Difference { steps: &["alltoallv|alltoallw", "blocking"], rows: &["E"], native: Native::More, compat: false, only_on: Some("ompi5.0.11"),
        why: "the requests inside of the algorithm look like the program's own" },
    Difference { steps: &["alltoall", "much"], rows: &["E"], native: Native::More, compat: false, only_on: Some("ompi5.0.11"),
        why: "the requests inside of the algorithm look like the program's own" },
    // This version hides its variables of messages, so only whole programs can be compared. These contain
    // such an operation.
    Difference { steps: &["whole", "coll|coll_edge_cases|unusual_messages"], rows: &["E"], native: Native::More, compat: false, only_on: Some("ompi4.1.4"),
        why: "the requests inside of the algorithm look like the program's own" },
    Difference { steps: &["allgatherv", "blocking"], rows: &["C", "O2A", "A2O"], native: Native::More, compat: false, only_on: None,
        why: "the algorithm for little data is a gather and a broadcast, which count once more" },
    Difference { steps: &["allgather|allgatherv|alltoall", "in", "place"], rows: &["C", "A2A"], native: NoBytes, compat: true, only_on: None,
        why: "what the caller of an operation in place gives for the unused arguments is taken for what it sends" },
    Difference { steps: &["scan|exscan"], rows: &["A2A"], native: MoreBytes(12), compat: true, only_on: None,
        why: "the sum counts one receiver too many" },
    Difference { steps: &["scatterv"], rows: &["O2A"], native: MoreBytes(8), compat: true, only_on: None,
        why: "the root counts what it keeps" },
    Difference { steps: &["scatterv"], rows: &["C"], native: Native::More, compat: true, only_on: None,
        why: "the root counts what it keeps" },
    Difference { steps: &["of", "nothing"], rows: &["C", "O2A", "A2O", "A2A"], native: Nothing, compat: false, only_on: None,
        why: "the function returns before its component is called if there is no data" },
    Difference { steps: &["Barrier|Bcast", "alone"], rows: &["O2A", "A2A"], native: Nothing, compat: false, only_on: None,
        why: "the function returns before its component is called if there is no other process" },
    Difference { steps: &["Reduce_scatter_block", "alone"], rows: &["O2A", "A2O"], native: Native::More, compat: false, only_on: None,
        why: "the algorithm for one process is a reduction and a scatter, which count once more" },
    Difference { steps: &["alltoallv|alltoallw", "line|grid"], rows: &["C", "A2A"], native: FewerBytes(4), compat: false, only_on: None,
        why: "counts are taken as if there were none for a neighbor beyond the border" },
    Difference { steps: &["bcast|scatter|gather|reduce", "between"], rows: &["C", "O2A", "A2O"], native: Nothing, compat: true, only_on: None,
        why: "the root of an operation between two groups is not recognized" },
    Difference { steps: &["bcast|scatter|gather|reduce", "nonblocking", "between"], rows: &["C", "O2A", "A2O"], native: Native::More, compat: true, only_on: None,
        why: "the process of the other group that has the root's rank is taken for the root" },
    Difference { steps: &["allreduce|allgather|alltoall|barrier", "between"], rows: &["C"], native: Nothing, compat: true, only_on: None,
        why: "the process of the other group that has the same rank is taken for the caller" },
    Difference { steps: &["allreduce|allgather|alltoall", "between"], rows: &["A2A"], native: FewerBytes(12), compat: true, only_on: None,
        why: "the process of the other group that has the same rank is taken for the caller" },
    Difference { steps: &["bcast|scatter|gather|reduce", "blocking", "between"], rows: &["C", "O2A", "A2O"], native: Native::More, compat: false, only_on: None,
        why: "the algorithm between two groups is made of operations in each, which count once more" },
    Difference { steps: &["allreduce|allgather|barrier", "blocking", "between"], rows: &["C", "A2A"], native: Native::More, compat: false, only_on: None,
        why: "the algorithm between two groups is made of operations in each, which count once more" },
];
