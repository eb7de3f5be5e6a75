//! The part of an argument in the description of a call.

use mpit::object::Bind;
use mpit_ffi::abi::Handle;

use super::Arguments;
use crate::arguments::{Handles, Kind, Word};

/// The part that an argument has in the description of a call in progress ([`Arguments`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    None,
    Comm,
    Object,
    NewWindow,
    NewFile,
    Group,
    Leader,
    Leaders,
    RemoteLeader,
    Partitions,
    OnePartition,
    FirstPartition,
    LastPartition,
    OneRequest,
    Dest,
    Source,
    OtherPeer,
    Tag,
    ReceiveTag,
    Count,
    Datatype,
    Requests,
}

impl Role {
    /// Returns the part of an argument with a name of the table.
    pub(crate) const fn of(name: &str, kind: Kind) -> Self {
        match (name.as_bytes(), kind) {
            (b"comm" | b"local_comm", _) => Self::Comm,
            (b"win" | b"file", _) => Self::Object,
            (b"new", Kind::NewWin) => Self::NewWindow,
            (b"new", Kind::NewFile) => Self::NewFile,
            (b"group", Kind::Group) => Self::Group,
            (b"local_leader", Kind::Int) => Self::Leader,
            (b"peer_comm", Kind::Comm) => Self::Leaders,
            (b"remote_leader", Kind::Int) => Self::RemoteLeader,
            (b"partitions" | b"len", Kind::Int) => Self::Partitions,
            (b"partition", Kind::Int) => Self::OnePartition,
            (b"first", Kind::Int) => Self::FirstPartition,
            (b"last", Kind::Int) => Self::LastPartition,
            (b"request", Kind::OneRequest) => Self::OneRequest,
            (b"dest", Kind::Int) => Self::Dest,
            (b"source", Kind::Int) => Self::Source,
            (b"root" | b"rank" | b"target_rank", Kind::Int) => Self::OtherPeer,
            // The description of a call has the kind of a lock in place of a tag.
            (b"tag" | b"sendtag" | b"kind", Kind::Int) => Self::Tag,
            (b"recvtag", Kind::Int) => Self::ReceiveTag,
            (b"count" | b"sendcount" | b"origin_count", _) => Self::Count,
            (b"datatype" | b"sendtype" | b"origin_datatype", Kind::Type) => Self::Datatype,
            (b"request" | b"requests", Kind::Request) => Self::Requests,
            _ => Self::None,
        }
    }
}

impl Arguments {
    /// Adds an argument of a kind that has this part in the description.
    #[inline(always)]
    pub(crate) fn add(&mut self, role: Role, kind: Kind, word: Word) {
        let int = || Some(word.int());
        match role {
            Role::None => {}
            Role::Dest => self.dest = int(),
            Role::Source => self.source = int(),
            Role::OtherPeer => self.other_peer = int(),
            Role::Tag => self.tag = int(),
            Role::ReceiveTag => self.receive_tag = int(),
            Role::Leader => self.leader = int(),
            Role::RemoteLeader => self.remote_leader = int(),
            Role::Partitions => self.partitions = Some(word.int().into()),
            Role::OnePartition => self.partitions = Some(1),
            Role::FirstPartition => self.partitions = Some(1 - i64::from(word.int())),
            Role::LastPartition => {
                self.partitions = Some(self.partitions.unwrap_or(0) + i64::from(word.int()));
            }
            Role::Count => {
                let count = match kind {
                    Kind::Count => word.count(),
                    Kind::Wide => word.wide(),
                    _ => word.int().into(),
                };
                self.count = Some(count);
            }
            Role::Datatype => self.datatype = Some(word.handle(Bind::Datatype)),
            Role::Comm => {
                let comm = handle(kind, word);
                (self.object, self.comm) = (comm, comm);
            }
            Role::Object => self.object = handle(kind, word),
            Role::Leaders => self.leaders = handle(kind, word),
            Role::OneRequest => self.request = handle(kind, word),
            Role::Group => (self.group, self.leader) = (handle(kind, word), Some(0)),
            Role::Requests => self.requests = Some(Handles::of(word, Bind::Request)),
            Role::NewWindow => self.new_window = Some(Handles::of(word, Bind::Win)),
            Role::NewFile => self.new_file = Some(Handles::of(word, Bind::File)),
        }
    }
}

/// Returns the handle that an argument of a kind is, or that of a variable that the call frees.
#[inline(always)]
fn handle(kind: Kind, word: Word) -> Option<Handle> {
    // SAFETY: the standard requires the address of one handle.
    let variable = |kind| unsafe { Handles::of(word, kind).at(0) };
    match kind {
        Kind::Comm => Some(word.handle(Bind::Comm)),
        Kind::Win => Some(word.handle(Bind::Win)),
        Kind::File => Some(word.handle(Bind::File)),
        Kind::Group => Some(word.handle(Bind::Group)),
        Kind::OneRequest => Some(word.handle(Bind::Request)),
        Kind::NewComm => Some(variable(Bind::Comm)),
        Kind::NewWin => Some(variable(Bind::Win)),
        Kind::ClosedFile => Some(variable(Bind::File)),
        _ => None,
    }
}
