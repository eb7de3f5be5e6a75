//! Decoding of the state of a running process.

use super::blocks::BlockKind;
use super::cursor::{Cursor, Malformed};
use super::live::{
    self, COMM, DATATYPE_SLOTS, DATATYPES, MESSAGES, PROCESS, REQUEST_CELLS, REQUEST_SLOTS, SEND_WORDS,
    WINDOW_SLOTS, WINDOWS, comm, process, thread,
};
use super::windows as window;
use crate::calls::CALLS;

pub use super::windows::{Lock, Target};
pub use crate::calls::{CallName, Class};

/// A process as its store describes it.
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The call that created the request; `None` if that is not known.
    pub call: Option<&'static CallName>,
    /// The communicator, an index in [`Current::comms`].
    pub comm: Option<usize>,
    /// The destination, source or root.
    pub peer: Option<Peer>,
    /// The tag of the message.
    pub tag: Option<Tag>,
    /// The number of the collective operation on the communicator, from 1.
    pub collective: Option<u64>,
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
}

/// The set of messages that a process has sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sends(Vec<u64>);

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

/// The constants of the MPI library.
#[derive(Clone, Copy, Default)]
struct Constants {
    any_source: i32,
    any_tag: i32,
    proc_null: i32,
    root: i32,
    null_request: u64,
}

impl Constants {
    fn peer(self, rank: i32) -> Option<Peer> {
        match rank {
            rank if rank == self.any_source => Some(Peer::Any),
            rank if rank == self.proc_null => Some(Peer::Null),
            rank if rank == self.root => Some(Peer::Root),
            rank => u32::try_from(rank).ok().map(Peer::Rank),
        }
    }

    fn tag(self, tag: i32) -> Tag {
        if tag == self.any_tag { Tag::Any } else { Tag::Tag(tag) }
    }
}

/// Words that refer to blocks which may follow.
#[derive(Default)]
struct Raw {
    constants: Constants,
    threads: Vec<[u64; thread::CELLS]>,
    requests: Vec<u64>,
    datatypes: Vec<u64>,
    windows: Vec<u64>,
}

/// Decodes the file of a process, which may be running.
///
/// # Errors
///
/// Fails if the bytes are not a store, or are damaged.
pub fn read(bytes: &[u8]) -> Result<Current, Malformed> {
    let mut words = Cursor::new(bytes);
    let header = words.header()?;
    let mut current = Current {
        rank: header.rank,
        size: header.size,
        pid: header.process,
        namespace: 0,
        start: 0,
        host: String::new(),
        finalized: header.finalized,
        threads: Vec::new(),
        comms: Vec::new(),
        sends: Sends::default(),
        windows: Vec::new(),
    };
    let mut raw = Raw::default();
    while let Some((kind, mut block)) = words.next_block()? {
        match kind {
            BlockKind::Thread => {
                block.word()?;
                raw.threads.push(block.numbers()?);
            }
            BlockKind::Description => match block.word()? {
                PROCESS => {
                    let [start, any, none, null_request, namespace]: [u64; process::CELLS] =
                        block.numbers()?;
                    let (any_source, any_tag) = unpack(any);
                    let (proc_null, root) = unpack(none);
                    raw.constants = Constants { any_source, any_tag, proc_null, root, null_request };
                    (current.start, current.namespace) = (start, namespace);
                    current.host = block.name()?;
                }
                COMM => current.comms.extend(read_comm(&mut block, header.size)?),
                MESSAGES => {
                    current.sends = Sends(block.words(SEND_WORDS)?);
                    raw.requests = block.words(REQUEST_SLOTS * REQUEST_CELLS)?;
                }
                WINDOWS => raw.windows = block.words(WINDOW_SLOTS * window::CELLS)?,
                DATATYPES => raw.datatypes = block.words(2 * DATATYPE_SLOTS)?,
                _ => (),
            },
            _ => (),
        }
    }
    current.threads = raw.threads.iter().filter_map(|cells| raw.thread(cells, &current.comms)).collect();
    current.windows = raw.all_windows();
    Ok(current)
}

fn unpack(word: u64) -> (i32, i32) {
    ((word as u32).cast_signed(), ((word >> 32) as u32).cast_signed())
}

/// Reads a communicator of a world of `world` processes; `None` if the block is not used.
fn read_comm(block: &mut Cursor<'_>, world: u32) -> Result<Option<Comm>, Malformed> {
    let [handle, lineage, collectives, rank_and_size, form]: [u64; comm::NAME_LEN] = block.numbers()?;
    let len = block.below(comm::MAX_NAME as u64 + 1, "the length of a name")? as usize;
    let name: Vec<u8> =
        block.words(comm::MAX_NAME / 8)?.into_iter().flat_map(u64::to_ne_bytes).take(len).collect();
    let listed = (form >> 32) as usize;
    let members = match form & comm::WORLD {
        0 if listed == 0 => Members::Unknown,
        0 => Members::List(block.ranks(listed)?),
        _ => Members::World,
    };
    let (rank, size) = (rank_and_size as u32, (rank_and_size >> 32) as u32);
    if members == Members::World && size > world {
        return Err(block.error(format!("a communicator of {size} processes, of {world}")));
    }
    let remote = form & comm::REMOTE != 0;
    let name = String::from_utf8_lossy(&name).into_owned();
    let found = Comm { handle, lineage, collectives, rank, size, remote, name, members };
    Ok(Some(found).filter(|comm| comm.handle != 0))
}

impl Raw {
    /// Decodes the words of a thread; `None` if it has not called MPI.
    fn thread(&self, cells: &[u64; thread::CELLS], comms: &[Comm]) -> Option<Thread> {
        let state = cells[thread::STATE];
        let sequence = state >> thread::NUMBER_SHIFT;
        let call = CALLS.get((state >> thread::CALL_SHIFT) as usize & 0x7ff)?;
        if sequence == 0 {
            return None;
        }
        let word = |at: usize| if state >> at & 1 != 0 { Some(cells[at]) } else { None };
        let is_access = call.class == Class::Access;
        let object = word(thread::OBJECT);
        let is_of_window = is_access || call.name == "Win_free";
        let window = object.filter(|_| is_of_window).and_then(|handle| self.window(handle));
        let (peer, tag) = word(thread::PEER).map(unpack).unzip();
        let is_message = matches!(call.class, Class::Send | Class::Receive | Class::Exchange | Class::Probe);
        let is_lock = is_access && call.name == "Win_lock";
        let count = word(thread::COUNT);
        let datatype = word(thread::DATATYPE);
        let is_wait = call.class == Class::Wait;
        let second = word(thread::SECOND).map(unpack);
        let receive =
            second.and_then(|(peer, tag)| Some((self.constants.peer(peer)?, self.constants.tag(tag))));
        // `MPI_Wait` stores no number.
        let request_count = if is_wait { count.unwrap_or(1) } else { 0 };
        // The words behind those of the requests of this call are of earlier calls.
        let stored = request_count.min(thread::MAX_REQUESTS as u64) as usize;
        let handles = cells[thread::REQUESTS..][..stored]
            .iter()
            .filter(|handle| ![0, self.constants.null_request].contains(handle));
        Some(Thread {
            tid: cells[thread::TID] as u32,
            sequence,
            inside: cells[thread::INSIDE] != 0,
            call,
            comm: match window {
                Some((_, lineage)) => comms.iter().position(|comm| comm.lineage == lineage),
                None => object.filter(|_| !is_of_window).and_then(|handle| index_of(handle, comms)),
            },
            window: window.map(|(window, _)| window),
            peer: peer.and_then(|peer| self.constants.peer(peer)),
            tag: tag.filter(|_| is_message).map(|tag| self.constants.tag(tag)),
            lock: tag.filter(|_| is_lock),
            receive,
            count: count.filter(|_| !is_wait).map(u64::cast_signed),
            datatype,
            bytes: datatype.and_then(|datatype| count?.checked_mul(self.size_of(datatype)?)),
            collective: word(thread::NUMBER),
            request_count,
            requests: handles.map(|handle| self.request(*handle, comms)).collect(),
        })
    }

    /// Returns a number for a window, and the lineage of its communicator.
    fn window(&self, handle: u64) -> Option<(u64, u64)> {
        let (all, _) = self.windows.as_chunks::<{ window::CELLS }>();
        let words = all.get(live::window_slot(handle))?;
        let (lineage, creation) = (words[window::LINEAGE], words[window::CREATION]);
        if words[window::HANDLE] != handle || lineage == 0 {
            return None;
        }
        Some((lineage.wrapping_add(creation), lineage))
    }

    fn all_windows(&self) -> Vec<Window> {
        let window = |words: &[u64; window::CELLS]| {
            Some(Window { number: self.window(words[window::HANDLE])?.0, locks: window::locks(words) })
        };
        let (all, _) = self.windows.as_chunks::<{ window::CELLS }>();
        all.iter().filter(|words| words[window::HANDLE] != 0).filter_map(window).collect()
    }

    fn size_of(&self, datatype: u64) -> Option<u64> {
        let at = 2 * live::datatype_slot(datatype);
        match self.datatypes.get(at..at + 2)? {
            [handle, size] if *handle == datatype => Some(*size),
            _ => None,
        }
    }

    fn request(&self, handle: u64, comms: &[Comm]) -> Request {
        let at = REQUEST_CELLS * live::request_slot(handle);
        let unknown = Request { call: None, comm: None, peer: None, tag: None, collective: None };
        let Some([known, call, comm, peer_and_tag]) = self.requests.get(at..at + REQUEST_CELLS) else {
            return unknown;
        };
        let Some(name) = CALLS.get(*call as usize & 0xffff).filter(|_| *known == handle) else {
            return unknown;
        };
        let (peer, tag) = unpack(*peer_and_tag);
        let is_message = name.class == Class::StartMessage;
        Request {
            call: Some(name),
            comm: index_of(*comm, comms),
            peer: self.constants.peer(peer).filter(|_| is_message),
            tag: if is_message { Some(self.constants.tag(tag)) } else { None },
            collective: Some(call >> 16).filter(|number| *number != 0),
        }
    }
}

fn index_of(handle: u64, comms: &[Comm]) -> Option<usize> {
    comms.iter().position(|comm| comm.handle == handle)
}
