//! The state of a running process, as its store describes it.

use super::{CallName, Lock};
use crate::store::live;

/// A process as its store describes it.
#[derive(Clone, Debug, Default)]
pub struct Current {
    /// The rank in the world.
    pub rank: u32,
    /// The size of the world.
    pub size: u32,
    /// The process id in its PID namespace.
    pub pid: u32,
    /// The PID namespace, which is one of its own for a process in a container; 0 if it is not known.
    pub namespace: u64,
    /// The time at which the process started, as `/proc/PID/stat` has it; 0 if it is not known.
    pub start: u64,
    /// The name of the machine.
    pub host: String,
    /// True if the process reached `MPI_Finalize`.
    pub finalized: bool,
    /// The threads that have called MPI.
    pub threads: Vec<Thread>,
    /// The communicators that exist.
    pub comms: Vec<Comm>,
    /// The messages that the process has sent.
    pub sends: Sends,
    /// The windows that exist.
    pub windows: Vec<Window>,
    /// The files that are open.
    pub files: Vec<OpenFile>,
    /// The buffered sends since a buffer was detached or flushed; `None` if not all of them are known.
    pub buffered: Option<Vec<BufferedSend>>,
    /// The persistent collective operations whose requests are known.
    pub persistent: Vec<Persistent>,
}

/// An open file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenFile {
    /// A number that is equal in all processes that opened the file together.
    pub number: u64,
    /// The handle in this process.
    pub handle: u64,
    /// The lineage of the communicator that opened it.
    pub lineage: u64,
    /// The number of collective operations that this process has begun.
    pub collectives: u64,
}

/// A message that may be in the program's buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferedSend {
    /// The communicator, an index in [`Current::comms`].
    pub comm: Option<usize>,
    /// The destination.
    pub peer: Option<Peer>,
    /// The tag.
    pub tag: Tag,
}

/// A persistent collective operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Persistent {
    /// The communicator, an index in [`Current::comms`].
    pub comm: usize,
    /// The number of its initialization among the collective operations on the communicator, from 1.
    pub number: u64,
    /// The number of times that this process has started it.
    pub starts: u64,
}

/// A window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// A number that is equal in all processes of the window.
    pub number: u64,
    /// The locks that the process has requested and not released.
    pub locks: Vec<Lock>,
}

/// A thread and its last call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The number of the thread in the PID namespace.
    pub tid: u32,
    /// The number of the call, which grows with each call.
    pub sequence: u64,
    /// True if the call is in progress.
    pub inside: bool,
    /// The call in progress, or the last one.
    pub call: &'static CallName,
    /// The communicator, or that of the window: an index in [`Current::comms`].
    pub comm: Option<usize>,
    /// The window: a number that is equal in all processes of the window.
    pub window: Option<u64>,
    /// The destination, source, root or target.
    pub peer: Option<Peer>,
    /// The tag of the message.
    pub tag: Option<Tag>,
    /// The kind of lock that `MPI_Win_lock` requests, a constant of the library.
    pub lock: Option<i32>,
    /// The source and tag of the receive of a combined call.
    pub receive: Option<(Peer, Tag)>,
    /// The number of elements.
    pub count: Option<i64>,
    /// The handle of the datatype.
    pub datatype: Option<u64>,
    /// The bytes, if the size of the datatype is known.
    pub bytes: Option<u64>,
    /// The number of the collective operation on the communicator, or of the fence of the window, from 1.
    pub collective: Option<u64>,
    /// The number of requests that the call waits for.
    pub request_count: u64,
    /// The first of these requests.
    pub requests: Vec<Request>,
    /// The file: a number that is equal in all processes that opened it together.
    pub file: Option<u64>,
    /// The communicator of the leaders of `MPI_Intercomm_create`, an index in [`Current::comms`].
    pub leaders: Option<usize>,
    /// The members of the group of `MPI_Comm_create_group` by their ranks in the world.
    pub group: Vec<u32>,
    /// True if there are requests or members that the words have no place for.
    pub is_cut: bool,
    /// The last call that tested for the state of an operation.
    pub poll: Option<Poll>,
}

/// The last call of a thread that tested for the state of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poll {
    /// The number of such calls of the thread.
    pub count: u64,
    /// The call.
    pub call: &'static CallName,
    /// The communicator of a test for a message, an index in [`Current::comms`].
    pub comm: Option<usize>,
    /// The source of that message.
    pub peer: Option<Peer>,
    /// The tag of that message.
    pub tag: Option<Tag>,
    /// The number of requests.
    pub request_count: u64,
    /// The first of these requests.
    pub requests: Vec<Request>,
}

/// A process in a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Peer {
    /// A rank.
    Rank(u32),
    /// `MPI_ANY_SOURCE`.
    Any,
    /// `MPI_PROC_NULL`.
    Null,
    /// `MPI_ROOT`.
    Root,
}

/// A tag of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tag {
    /// A number.
    Tag(i32),
    /// `MPI_ANY_TAG`.
    Any,
}

/// A request that a call waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The call that created the request; `None` if that is not known.
    pub call: Option<&'static CallName>,
    /// The communicator, an index in [`Current::comms`].
    pub comm: Option<usize>,
    /// The destination, source or root.
    pub peer: Option<Peer>,
    /// The tag of the message.
    pub tag: Option<Tag>,
    /// The number of the collective operation on the communicator or file, from 1.
    pub collective: Option<u64>,
    /// The file: a number that is equal in all processes that opened it together.
    pub file: Option<u64>,
    /// The number of starts of a persistent collective operation.
    pub starts: Option<u64>,
    /// The numbers of partitions of a message: those that are ready, and all.
    pub partitions: Option<(u64, u64)>,
}

/// A collective operation that a process has begun. It may have left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BegunCollective {
    /// The call.
    pub call: &'static CallName,
    /// The number on the communicator.
    pub number: u64,
    /// The root, if the call has one.
    pub root: Option<Peer>,
}

/// The members of a communicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    /// The first processes of the world in its order.
    World,
    /// These ranks of the world.
    List(Vec<u32>),
    /// There are too many to list.
    Unknown,
}

/// A communicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comm {
    /// The handle of C in this process.
    pub handle: u64,
    /// A number that is equal in all members; 0 if it is not known.
    pub lineage: u64,
    /// The number of collective operations that this process has begun.
    pub collectives: u64,
    /// The rank of this process in its own group.
    pub rank: u32,
    /// The number of processes that messages go to.
    pub size: u32,
    /// True for an intercommunicator.
    pub remote: bool,
    /// The name.
    pub name: String,
    /// The processes that messages go to.
    pub members: Members,
    /// The last operations among those that a process may leave, or begin without a wait, before others enter them.
    pub begun: Vec<BegunCollective>,
}

/// The set of messages that a process has sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sends(pub(super) Vec<u64>);

impl Sends {
    /// Returns false if the process has certainly sent no message to this rank of the communicator with this tag.
    #[must_use]
    pub fn may_contain(&self, comm: &Comm, dest: u32, tag: i32) -> bool {
        self.may_contain_message(comm.handle, dest, tag)
    }

    /// Returns the result of [`may_contain`](Self::may_contain) for the communicator with this handle.
    #[must_use]
    pub fn may_contain_message(&self, comm: u64, dest: u32, tag: i32) -> bool {
        let (word, bit) = live::send_bit(comm, live::pack(dest.cast_signed(), tag));
        self.0.get(word).is_none_or(|word| word >> bit & 1 != 0)
    }

    /// Returns the words of the set.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// Returns the set with these words.
    #[must_use]
    pub fn from_words(words: Vec<u64>) -> Self {
        Self(words)
    }
}
