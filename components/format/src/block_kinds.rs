//! The kinds of blocks of a store, and their numbers in files.

/// The content of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Rows of messages, accesses and collective operations, and their communicators.
    Traffic,
    /// Rows of times, and what they refer to.
    Times,
    /// The state of the process, or nothing.
    State,
}

macro_rules! block_kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal, $content:ident;)+) => {
        /// The kind of a block.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum BlockKind {
            $($(#[$doc])* $kind = $number,)+
        }

        impl BlockKind {
            pub(crate) const ALL: &[Self] = &[$(Self::$kind),+];

            /// Returns the content of blocks of this kind.
            #[must_use]
            pub const fn content(self) -> Content {
                match self {
                    $(Self::$kind => Content::$content,)+
                }
            }
        }
    };
}

block_kinds! {
    /// Unused words: at the end of a piece, or a cache line between blocks of different threads.
    Unused = 1, State;
    /// Messages to one process: [`message_key`](crate::store::blocks::message_key), the counts of some sizes, and their bytes.
    Messages = 2, Traffic;
    /// Accesses to the memory of one process: its rank, and the sums of its [kinds of rows](crate::rows::Kind::block).
    Accesses = 3, Traffic;
    /// Collective operations with one process: its rank, and the sum of its kind of rows.
    Exchanged = 4, Traffic;
    /// Collective operations with several processes: the sum exchanged with each,
    /// [`exchanged_key`](crate::store::blocks::exchanged_key), and the ranks.
    SharedSum = 5, Traffic;
    /// Collective operations on a communicator, or several with the same name and members: a slot, three sums, the kind of
    /// communicator (0 while the slot is not used), the first and the last number behind its name, the number of
    /// communicators, and the number of the first in the order of creation. The sums of blocks with the same number add up:
    /// threads may have a block each.
    Operations = 6, Traffic;
    /// A kind of communicator: its number, the number of its list of members, a flag for numbers behind the name, the name.
    Comm = 7, Traffic;
    /// A list of members: its number, a flag for the world in its order, the number of members, the ranks.
    Members = 8, Traffic;
    /// The run and world of the process: 0, the fields of [`crate::Identity`].
    Run = 9, State;
    /// A thread of the running process: a slot, and the words of [`crate::store::live::thread`].
    Thread = 10, State;
    /// A description of the running process: its subject, such as [`crate::store::live::COMM`], and words.
    Description = 11, State;
    /// The time of the process: 0, and the words of [`crate::store::times::time`].
    Time = 12, Times;
    /// Calls of one name on one communicator by one thread: [`crate::store::times::call_key`], the words of
    /// [`crate::store::times::call`], and the number of the place in the program, 0 for all places. Several blocks with the same key
    /// add up.
    Call = 13, Times;
    /// A communicator with calls, or several with the same label: its slot, and the words of [`crate::store::times::comm`].
    CallComm = 14, Times;
    /// A label of communicators: its number, a flag for numbers behind the name, the name.
    Label = 15, Times;
    /// Sampled operations on a communicator: its lineage, and the words of [`crate::store::times::late`].
    Late = 16, Times;
    /// A place in the program that makes calls: its number, the offset in its module, the build ID and the path of the module.
    Site = 17, Times;
    /// A region of the program: its number, the number of ends that did not fit to the last begin, and the name.
    Region = 18, Times;
    /// The time of one thread in a region: its number, and the words of [`crate::store::times::region`]. Several blocks with the same
    /// number add up.
    RegionTime = 19, Times;
}
