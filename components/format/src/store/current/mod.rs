//! Decoding of the state of a running process.

mod state;

use super::blocks::BlockKind;
use super::live::{
    self, BUFFERED, COMM, Constants, DATATYPES, FILES, MESSAGES, OBJECT_SLOTS, PROCESS, REQUEST_CELLS,
    REQUEST_SLOTS, SEND_WORDS, WINDOWS, buffered, comm, file, process, request_numbers, thread, unpack,
};
use super::windows as window;
use super::word_cursor::{Malformed, WordCursor};

pub use super::windows::{Lock, Target};
pub use crate::calls::{CALLS, CallName, Class};
pub use state::{
    BegunCollective, BufferedSend, Comm, Current, Members, OpenFile, Peer, Persistent, Poll, Request, Sends,
    Tag, Thread, Window,
};

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
    files: Vec<u64>,
    buffered: Vec<u64>,
    /// The words of the last collective operations of each communicator.
    begun: Vec<Vec<u64>>,
}

/// Decodes the file of a process, which may be running.
///
/// # Errors
///
/// Fails if the bytes are not a store, or are damaged.
pub fn read(bytes: &[u8]) -> Result<Current, Malformed> {
    let mut words = WordCursor::new(bytes);
    let header = words.header()?;
    let mut current = Current {
        rank: header.rank,
        size: header.size,
        pid: header.process,
        finalized: header.finalized,
        ..Current::default()
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
                    let [start, any, none, null, namespace]: [u64; process::CELLS] = block.numbers()?;
                    raw.constants = Constants::of([any, none, null]);
                    (current.start, current.namespace) = (start, namespace);
                    current.host = block.name()?;
                }
                COMM => {
                    if let Some((comm, begun)) = read_comm(&mut block, header.size)? {
                        current.comms.push(comm);
                        raw.begun.push(begun);
                    }
                }
                MESSAGES => {
                    current.sends = Sends(block.words(SEND_WORDS)?);
                    raw.requests = block.words(REQUEST_SLOTS * REQUEST_CELLS)?;
                }
                WINDOWS => raw.windows = block.words(OBJECT_SLOTS * window::CELLS)?,
                FILES => raw.files = block.words(OBJECT_SLOTS * file::CELLS)?,
                BUFFERED => raw.buffered = block.words(buffered::CELLS)?,
                DATATYPES => raw.datatypes = block.words(2 * OBJECT_SLOTS)?,
                _ => (),
            },
            _ => (),
        }
    }
    for (comm, begun) in current.comms.iter_mut().zip(&raw.begun) {
        comm.begun = raw.begun_collectives(comm.collectives, begun);
    }
    current.files = raw.all_files();
    current.buffered = raw.buffered_sends(&current.comms);
    current.persistent = raw.persistent(&current.comms);
    current.threads = raw.threads.iter().filter_map(|cells| raw.thread(cells, &current.comms)).collect();
    current.windows = raw.all_windows();
    Ok(current)
}

/// Reads a communicator of a world of `world` processes, and the words of its last collective operations; `None` if the block is not
/// used.
fn read_comm(block: &mut WordCursor<'_>, world: u32) -> Result<Option<(Comm, Vec<u64>)>, Malformed> {
    let [handle, lineage, collectives, rank_and_size, form]: [u64; comm::NAME_LEN] = block.numbers()?;
    let len = block.below(comm::MAX_NAME as u64 + 1, "the length of a name")? as usize;
    let name: Vec<u8> =
        block.words(comm::MAX_NAME / 8)?.into_iter().flat_map(u64::to_ne_bytes).take(len).collect();
    let begun = block.words(comm::MAX_BEGUN)?;
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
    let found = Comm { handle, lineage, collectives, rank, size, remote, name, members, begun: Vec::new() };
    Ok(if handle == 0 { None } else { Some((found, begun)) })
}

/// Returns true for a call that creates the request of a persistent collective operation.
fn is_persistent_collective(call: &CallName) -> bool {
    call.class == Class::StartOther && call.name.ends_with("_init")
}

/// Returns true for a collective operation on a file, by a call that returns a request.
fn is_started_on_file(call: &CallName) -> bool {
    call.class == Class::StartOther && call.name.starts_with("File_")
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
        let is_of_file = call.class == Class::File;
        let file = object.filter(|_| is_of_file).and_then(|handle| self.file(handle));
        let window = object.filter(|_| is_of_window).and_then(|handle| self.window(handle));
        let (peer, tag) = word(thread::PEER).map(unpack).unzip();
        let is_message = matches!(call.class, Class::Send | Class::Receive | Class::Exchange | Class::Probe)
            || matches!(call.name, "Intercomm_create" | "Comm_create_group");
        let is_lock = is_access && call.name == "Win_lock";
        let count = word(thread::COUNT);
        let datatype = word(thread::DATATYPE);
        let is_wait = call.class == Class::Wait;
        let second = word(thread::SECOND).map(unpack);
        let receive =
            second.and_then(|(peer, tag)| Some((self.constants.peer(peer)?, self.constants.tag(tag))));
        let further = if call.name == "Intercomm_create" { Some(cells[thread::FURTHER]) } else { None };
        // `MPI_Wait` stores no number.
        let request_count = if is_wait { count.unwrap_or(1) } else { 0 };
        let (stored, is_cut) =
            (cells[thread::STORED] as u32 as usize, cells[thread::STORED] & thread::IS_CUT != 0);
        // The words behind those of the requests of this call are of earlier calls.
        let (first, more) = match request_count as usize {
            count @ ..=thread::MAX_REQUESTS => (count, 0),
            _ => (stored.min(thread::MAX_REQUESTS), stored.saturating_sub(thread::MAX_REQUESTS)),
        };
        let more = &cells[thread::MORE..][..more.min(thread::MAX_MORE)];
        let handles = cells[thread::REQUESTS..][..first].iter().chain(more);
        let has_group = call.name == "Comm_create_group";
        let group = if has_group { &cells[thread::MORE..][..stored.min(thread::MAX_MORE)] } else { &[] };
        Some(Thread {
            tid: cells[thread::TID] as u32,
            sequence,
            inside: cells[thread::INSIDE] != 0,
            call,
            comm: match window {
                Some((_, lineage)) => comms.iter().position(|comm| comm.lineage == lineage),
                None => {
                    object.filter(|_| !is_of_window && !is_of_file).and_then(|handle| index_of(handle, comms))
                }
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
            requests: self.requests(handles, comms),
            file,
            leaders: further.and_then(|handle| index_of(handle, comms)),
            group: group.iter().map(|rank| *rank as u32).collect(),
            is_cut: is_cut && (has_group || request_count > thread::MAX_REQUESTS as u64),
            poll: self.poll(cells, comms),
        })
    }

    /// Returns the requests of these handles that are not null.
    fn requests<'a>(&self, handles: impl Iterator<Item = &'a u64>, comms: &[Comm]) -> Vec<Request> {
        let is_some = |handle: &&u64| ![0, self.constants.null_request].contains(*handle);
        handles.filter(is_some).map(|handle| self.request(*handle, comms)).collect()
    }

    fn poll(&self, cells: &[u64; thread::CELLS], comms: &[Comm]) -> Option<Poll> {
        let polls = cells[thread::POLLS];
        let call = CALLS.get(polls as usize & ((1 << thread::POLLS_SHIFT) - 1))?;
        if polls >> thread::POLLS_SHIFT == 0 || call.class != Class::Poll {
            return None;
        }
        let (peer, tag) = unpack(cells[thread::POLLED_PEER]);
        let is_message = call.name.ends_with("probe");
        let request_count = if is_message { 0 } else { cells[thread::POLLED] };
        let stored = request_count.min(thread::MAX_REQUESTS as u64) as usize;
        let requests = self.requests(cells[thread::POLLED_REQUESTS..][..stored].iter(), comms);
        let (peer, tag) = if is_message {
            (self.constants.peer(peer), Some(self.constants.tag(tag)))
        } else {
            (None, None)
        };
        let comm = if is_message { index_of(cells[thread::POLLED_OBJECT], comms) } else { None };
        Some(Poll { count: polls >> thread::POLLS_SHIFT, call, comm, peer, tag, request_count, requests })
    }

    /// Returns the number of a file.
    fn file(&self, handle: u64) -> Option<u64> {
        let (all, _) = self.files.as_chunks::<{ file::CELLS }>();
        let words = all.get(live::object_slot(handle))?;
        if words[file::HANDLE] == handle { number_of_file(words) } else { None }
    }

    fn all_files(&self) -> Vec<OpenFile> {
        let (all, _) = self.files.as_chunks::<{ file::CELLS }>();
        let open = |words: &[u64; file::CELLS]| {
            let number = number_of_file(words)?;
            let [handle, lineage, _, collectives] = *words;
            Some(OpenFile { number, handle, lineage, collectives })
        };
        all.iter().filter_map(open).collect()
    }

    fn buffered_sends(&self, comms: &[Comm]) -> Option<Vec<BufferedSend>> {
        let count = *self.buffered.get(buffered::COUNT)?;
        let count = usize::try_from(count).ok().filter(|count| *count <= buffered::MAX)?;
        let (all, _) = self.buffered[buffered::SENDS..].as_chunks::<2>();
        let send = |[comm, peer_and_tag]: &[u64; 2]| {
            let (peer, tag) = unpack(*peer_and_tag);
            BufferedSend {
                comm: index_of(*comm, comms),
                peer: self.constants.peer(peer),
                tag: self.constants.tag(tag),
            }
        };
        Some(all.iter().take(count).map(send).collect())
    }

    fn begun_collectives(&self, collectives: u64, words: &[u64]) -> Vec<BegunCollective> {
        let begun = |word: &u64| {
            let call = CALLS.get((word >> 32) as usize & 0x7ff)?;
            let cut = word >> 43;
            // The upper bits of the number are those of one of the last operations.
            let ago = (collectives.wrapping_sub(cut)) & ((1 << 21) - 1);
            let number = collectives.checked_sub(ago)?;
            let is_rooted = call.class == Class::Rooted
                || call.class == Class::StartCollective && ROOTED.contains(&call.name);
            let root = if is_rooted { self.constants.peer((*word as u32).cast_signed()) } else { None };
            Some(BegunCollective { call, number, root })
        };
        words.iter().filter(|word| **word != 0).filter_map(begun).collect()
    }

    fn persistent(&self, comms: &[Comm]) -> Vec<Persistent> {
        let (all, _) = self.requests.as_chunks::<REQUEST_CELLS>();
        let known = |[handle, call, comm, word]: &[u64; REQUEST_CELLS]| {
            let name = CALLS.get(*call as usize & 0xffff)?;
            if *handle == 0 || !is_persistent_collective(name) {
                return None;
            }
            Some(Persistent {
                comm: index_of(*comm, comms)?,
                number: call >> request_numbers::SHIFT,
                starts: word >> request_numbers::STARTS_SHIFT,
            })
        };
        all.iter().filter_map(known).collect()
    }

    /// Returns a number for a window, and the lineage of its communicator.
    fn window(&self, handle: u64) -> Option<(u64, u64)> {
        let (all, _) = self.windows.as_chunks::<{ window::CELLS }>();
        let words = all.get(live::object_slot(handle))?;
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
        let at = 2 * live::object_slot(datatype);
        match self.datatypes.get(at..at + 2)? {
            [handle, size] if *handle == datatype => Some(*size),
            _ => None,
        }
    }

    fn request(&self, handle: u64, comms: &[Comm]) -> Request {
        let at = REQUEST_CELLS * live::request_slot(handle);
        let Some([known, call, comm, peer_and_tag]) = self.requests.get(at..at + REQUEST_CELLS) else {
            return Request::default();
        };
        let Some(name) = CALLS.get(*call as usize & 0xffff).filter(|_| *known == handle) else {
            return Request::default();
        };
        let (peer, tag) = unpack(*peer_and_tag);
        let is_message = name.class == Class::StartMessage;
        let number = call >> request_numbers::SHIFT;
        let is_partitioned = name.name == "Psend_init";
        let ready = number & ((1 << (request_numbers::PARTITIONS_SHIFT - request_numbers::SHIFT)) - 1);
        let partitions = (ready, call >> request_numbers::PARTITIONS_SHIFT);
        let is_on_file = is_started_on_file(name);
        Request {
            call: Some(name),
            comm: if is_on_file { None } else { index_of(*comm, comms) },
            peer: self.constants.peer(peer).filter(|_| is_message),
            tag: if is_message { Some(self.constants.tag(tag)) } else { None },
            collective: Some(number).filter(|number| *number != 0 && !is_partitioned),
            file: if is_on_file { self.file(*comm) } else { None },
            starts: if is_persistent_collective(name) { Some(tag.cast_unsigned().into()) } else { None },
            partitions: Some(partitions).filter(|_| is_partitioned),
        }
    }
}

/// The calls that begin a collective operation with a root and return a request.
const ROOTED: [&str; 6] = ["Ibcast", "Igather", "Igatherv", "Iscatter", "Iscatterv", "Ireduce"];

/// Returns a number for a file that differs from the lineages of communicators; `None` if the words are not used or the communicator
/// that opened it is not known.
fn number_of_file(words: &[u64; file::CELLS]) -> Option<u64> {
    let [handle, lineage, opening, _] = *words;
    if handle == 0 || lineage == 0 {
        return None;
    }
    Some(lineage.rotate_left(32).wrapping_add(opening).wrapping_mul(live::MULTIPLIER) | 1 << 63)
}

fn index_of(handle: u64, comms: &[Comm]) -> Option<usize> {
    comms.iter().position(|comm| comm.handle == handle)
}
