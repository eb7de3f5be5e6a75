//! The part of an argument in the description of a call.

use super::Arguments;
use crate::arguments::{Any, Comm, Count, Kind, Request, Type, Value, Word};

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
    /// Adds an argument of a kind. The frequent ones by one branch.
    #[inline(always)]
    pub(crate) fn add_word(&mut self, role: Role, kind: Kind, word: Word) {
        let int = || Some(word.int());
        match role {
            Role::Dest => self.dest = int(),
            Role::Source => self.source = int(),
            Role::OtherPeer => self.other_peer = int(),
            Role::Tag => self.tag = int(),
            Role::ReceiveTag => self.receive_tag = int(),
            Role::Datatype => self.datatype = Some(Type::<Any>::from(word).get()),
            Role::Comm if kind == Kind::Comm => {
                let comm = Some(Comm::<Any>::from(word).get());
                (self.object, self.comm) = (comm, comm);
            }
            Role::Count if kind == Kind::Count => self.count = Some(Count::<Any>::from(word).get()),
            Role::Requests => self.requests = Some(Request::<Any>::from(word).handles()),
            _ => self.add(role, Value::of(kind, word)),
        }
    }

    /// Adds an argument.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "arguments with these parts are integers")]
    pub(crate) fn add(&mut self, role: Role, value: Value) {
        match value {
            Value::Number(number) => {
                let int = number as i32;
                match role {
                    Role::Leader => self.leader = Some(int),
                    Role::RemoteLeader => self.remote_leader = Some(int),
                    Role::Partitions => self.partitions = Some(number),
                    Role::OnePartition => self.partitions = Some(1),
                    Role::FirstPartition => self.partitions = Some(1 - number),
                    Role::LastPartition => self.partitions = Some(self.partitions.unwrap_or(0) + number),
                    Role::Dest => self.dest = Some(int),
                    Role::Source => self.source = Some(int),
                    Role::OtherPeer => self.other_peer = Some(int),
                    Role::Tag => self.tag = Some(int),
                    Role::ReceiveTag => self.receive_tag = Some(int),
                    Role::Count => self.count = Some(number),
                    _ => {}
                }
            }
            Value::Handle(handle) => match role {
                Role::Comm => (self.object, self.comm) = (Some(handle), Some(handle)),
                Role::Object => self.object = Some(handle),
                Role::Group => (self.group, self.leader) = (Some(handle), Some(0)),
                Role::Leaders => self.leaders = Some(handle),
                Role::OneRequest => self.request = Some(handle),
                Role::Datatype => self.datatype = Some(handle),
                _ => {}
            },
            Value::Handles(handles) => match role {
                Role::Requests => self.requests = Some(handles),
                Role::NewWindow => self.new_window = Some(handles),
                Role::NewFile => self.new_file = Some(handles),
                // The variable of a window that the call frees.
                // SAFETY: the standard requires the address of one handle.
                Role::Object => self.object = Some(unsafe { handles.at(0) }),
                _ => {}
            },
            Value::Other => {}
        }
    }
}
